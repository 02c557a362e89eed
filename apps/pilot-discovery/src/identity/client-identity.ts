import { GrpcError, Status } from '@kedge/grpc-server';
import type { Proxy, ProxyIdentity } from '@kedge/model';
import { authenticate, type Authenticator, parseIdentity } from '@kedge/security';
import type { AdsPeer } from '@kedge/xds-core';

/** Finds out who a client is. Undefined where it needs no proof; rejects with a `GrpcError` where its proof is none. */
export type Identify = (proxy: Proxy, peer: AdsPeer) => Promise<ProxyIdentity | undefined>;

export interface ClientIdentityOptions {
  readonly authenticators: readonly Authenticator[];
  /** Whether a client must be who its node says, or only somebody known. */
  readonly mustMatch: boolean;
  /** Whether clients in plain text have to be known too. */
  readonly inPlainText: boolean;
}

/** Knows clients on TLS by certificate or token; on the plain-text port nobody proves anything, unless all are to. */
export function clientIdentity({ authenticators, mustMatch, inPlainText }: ClientIdentityOptions): Identify {
  return async (proxy, { address, tls, certificate, metadata }) => {
    if (!tls && !inPlainText) return undefined;
    const { identities } = await authenticate({ address, tls, certificate, metadata }, authenticators);
    return mustMatch ? matching(proxy, identities) : undefined;
  };
}

/** The identity that is of the namespace and service account that the node claims to be of. */
function matching({ configNamespace, metadata }: Proxy, identities: readonly string[]): ProxyIdentity {
  for (const uri of identities) {
    const identity = parseIdentity(uri);
    if (!identity) continue;
    const { namespace, serviceAccount } = identity;
    if (configNamespace && configNamespace !== namespace) continue;
    if (metadata.serviceAccount && metadata.serviceAccount !== serviceAccount) continue;
    return { namespace, serviceAccount };
  }
  const claimed = `${configNamespace}/${metadata.serviceAccount}`;
  throw new GrpcError(
    Status.PERMISSION_DENIED,
    `authorization failed: no identities (${identities.join(', ')}) matched ${claimed}`,
  );
}
