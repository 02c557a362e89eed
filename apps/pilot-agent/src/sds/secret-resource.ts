import { createHash } from 'node:crypto';
import { encodeAny, packAny } from '@kedge/envoy-api';
import type { EncodedResource } from '@kedge/xds-core';

/** PEM texts of a secret. */
export type SecretContent = { readonly chain: string; readonly key: string } | { readonly roots: string };

const inline = (text: string) => ({ inlineBytes: Buffer.from(text).toString('base64') });

/** A secret as Envoy takes it. */
export function secretResource(name: string, content: SecretContent): EncodedResource {
  const secret =
    'roots' in content
      ? { name, validationContext: { trustedCa: inline(content.roots) } }
      : { name, tlsCertificate: { certificateChain: inline(content.chain), privateKey: inline(content.key) } };
  const any = encodeAny(packAny('envoy.extensions.transport_sockets.tls.v3.Secret', secret));
  return { name, any, version: createHash('sha256').update(any).digest('base64url').slice(0, 22) };
}
