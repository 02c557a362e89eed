import { parseIdentity } from '../spiffe/identity.ts';
import { isOwnTrustDomain, type TrustDomains } from '../spiffe/trust-domains.ts';
import { type Authentication, refused } from './authenticator.ts';

export interface UriOptions {
  readonly trustDomains: () => TrustDomains;
  /** Whether identities of other trust domains are taken too. */
  readonly anyTrustDomain?: boolean;
}

/** Who a certificate with these URIs is of: it has to have one, which names a workload of the mesh. */
export function knownByUri(
  uris: readonly string[],
  { trustDomains, anyTrustDomain = false }: UriOptions,
): Authentication {
  const [uri, second] = uris;
  if (uri === undefined) return refused('the client certificate has no SPIFFE identity');
  if (second !== undefined) return refused('the client certificate has more than one URI');
  const identity = parseIdentity(uri);
  if (!identity) return refused('the URI of the client certificate is no SPIFFE identity of a workload');
  if (!anyTrustDomain && !isOwnTrustDomain(trustDomains(), identity.trustDomain)) {
    return refused('the client certificate is of another trust domain');
  }
  return { kind: 'authenticated', caller: { source: 'clientCertificate', identities: [uri] } };
}
