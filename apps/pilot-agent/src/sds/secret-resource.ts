import { createHash } from 'node:crypto';
import { encodeAny, packAny } from '@kedge/envoy-api';
import type { EncodedResource } from '@kedge/xds-core';

/** PEM texts of a secret. */
export type SecretContent = { readonly chain: string; readonly key: string } | TrustContent;

export interface TrustContent {
  readonly roots: string;
  /** Lists of revoked certificates; where there is one, Envoy wants one of each authority. */
  readonly revocations?: string;
}

const inline = (text: string) => ({ inlineBytes: Buffer.from(text).toString('base64') });

const validationContext = ({ roots, revocations }: TrustContent) => ({
  trustedCa: inline(roots),
  ...(revocations ? { crl: inline(revocations) } : {}),
});

/** A secret as Envoy takes it. */
export function secretResource(name: string, content: SecretContent): EncodedResource {
  const secret =
    'roots' in content
      ? { name, validationContext: validationContext(content) }
      : { name, tlsCertificate: { certificateChain: inline(content.chain), privateKey: inline(content.key) } };
  const any = encodeAny(packAny('envoy.extensions.transport_sockets.tls.v3.Secret', secret));
  return { name, any, version: createHash('sha256').update(any).digest('base64url').slice(0, 22) };
}
