/** What names the mesh's own trust domain, whatever it is called. */
const LOCAL = 'cluster.local';

/** Principals in policies are written `DOMAIN/ns/NAMESPACE/sa/NAME`; others (`*`, `*sa/x`) belong to no trust domain. */
export function trustDomainOf(principal: string): string | undefined {
  const parts = principal.split('/');
  return parts.length === 5 ? parts[0] : undefined;
}

/** Whether a principal is of one trust domain, not of any. */
export function namesTrustDomain(principal: string): boolean {
  const domain = trustDomainOf(principal);
  return domain !== undefined && domain !== '*';
}

/** The principal in another trust domain; undefined for one that belongs to none. */
export function inTrustDomain(domain: string, principal: string): string | undefined {
  return trustDomainOf(principal) === undefined ? undefined : domain + principal.slice(principal.indexOf('/'));
}

const covers = (pattern: string, text: string): boolean =>
  (pattern.endsWith('*') && text.startsWith(pattern.slice(0, -1))) || coversEnd(pattern, text);

const coversEnd = (pattern: string, text: string): boolean =>
  pattern.startsWith('*') && text.endsWith(pattern.slice(1));

/** Whether a trust domain as policies write it is the mesh's own or an alias of it. */
export function isOfMesh(domain: string, trustDomains: readonly string[]): boolean {
  return domain === LOCAL || trustDomains.some((own) => own === domain || covers(own, domain) || covers(domain, own));
}

/**
 * A principal of the mesh's trust domain, or of an alias, stands for the same one in all of them. A pattern that covers some
 * of them is kept for those.
 * https://istio.io/latest/docs/tasks/security/authorization/authz-td-migration/
 */
export function principalsOf(principals: readonly string[], trustDomains: readonly string[]): readonly string[] {
  return principals.flatMap((principal) => {
    const domain = trustDomainOf(principal);
    if (domain === undefined || !namesTrustDomain(principal) || !isOfMesh(domain, trustDomains)) return [principal];
    const all = trustDomains.map((own) => (coversEnd(domain, own) ? principal : inTrustDomain(own, principal)));
    return [...new Set(all)].filter((one) => one !== undefined);
  });
}

/** Trust domains with the aliases of those that are the mesh's. */
export function trustDomainsOf(domains: readonly string[], trustDomains: readonly string[]): readonly string[] {
  return [...new Set(domains.flatMap((domain) => (trustDomains.includes(domain) ? trustDomains : [domain])))];
}
