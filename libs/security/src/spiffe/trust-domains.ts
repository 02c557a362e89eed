import { formatIdentity, parseIdentity, type SpiffeIdentity } from './identity.ts';

/** What policies and clients call the mesh's own trust domain, whatever its name is. */
const localTrustDomain = 'cluster.local';

/** The mesh's own trust domain, and the other names that it has. */
export interface TrustDomains {
  readonly own: string;
  readonly aliases: readonly string[];
}

/** Whether an identity of this trust domain may be one of the mesh. */
export function isOwnTrustDomain({ own, aliases }: TrustDomains, trustDomain: string): boolean {
  return trustDomain === own.replaceAll('@', '.') || trustDomain === own || aliases.includes(trustDomain);
}

/** The URI of a workload of the mesh. */
export function ownIdentity({ own }: TrustDomains, namespace: string, serviceAccount: string): string {
  return formatIdentity({ trustDomain: own, namespace, serviceAccount });
}

/**
 * Whether both URIs mean the same workload of the mesh: namespace and service account are equal, and the trust domains are
 * equal or names of the mesh's own (`cluster.local` is what a workload says that wasn't told).
 */
export function isSameWorkload(trustDomains: TrustDomains, one: string, other: string): boolean {
  if (one === other) return true;
  const [a, b] = [parseIdentity(one), parseIdentity(other)];
  if (!a || !b || a.namespace !== b.namespace || a.serviceAccount !== b.serviceAccount) return false;
  return [a, b].every((identity) => isOwn(trustDomains, identity));
}

function isOwn(trustDomains: TrustDomains, { trustDomain }: SpiffeIdentity): boolean {
  return trustDomain === localTrustDomain || isOwnTrustDomain(trustDomains, trustDomain);
}
