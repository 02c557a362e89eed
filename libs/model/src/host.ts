/**
 * Host names of services, gateways and routes. Compared without case and without a trailing dot (RFC 4343); a name may
 * begin with a `*` label, which stands for one or more labels.
 */
export type Hostname = string;

/** The form in which host names are stored and compared. */
export function canonicalHost(host: string): Hostname {
  const lower = host.toLowerCase();
  return lower.length > 1 && lower.endsWith('.') ? lower.slice(0, -1) : lower;
}

export function isWildcardHost(host: Hostname): boolean {
  return host.startsWith('*');
}

/** Whether the two names have a host in common: `*.shop.com` and `web.shop.com`, or two wildcards one within the other. */
export function hostsOverlap(a: Hostname, b: Hostname): boolean {
  return hostCovers(a, b) || hostCovers(b, a);
}

/** Whether every host that `narrow` stands for is one that `wide` stands for. */
export function hostCovers(wide: Hostname, narrow: Hostname): boolean {
  if (wide === narrow) return true;
  if (!isWildcardHost(wide)) return false;
  if (wide === '*') return true;
  return narrow.length >= wide.length && narrow.endsWith(wide.slice(1));
}

/** Orders the more specific name first: exact before wildcard, longer wildcard before shorter, then by text. */
export function compareHostSpecificity(a: Hostname, b: Hostname): number {
  const wildA = isWildcardHost(a);
  const wildB = isWildcardHost(b);
  if (wildA !== wildB) return wildA ? 1 : -1;
  if (wildA && a.length !== b.length) return b.length - a.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * The most specific name of an index that covers a host: the host itself, then wildcards from the longest to `*`. The
 * cost follows the number of labels, not of names.
 */
export function* hostLookupOrder(host: Hostname): Generator<Hostname> {
  yield host;
  let rest = isWildcardHost(host) ? host.slice(1) : host;
  if (rest.startsWith('.')) rest = rest.slice(1);
  for (let dot = rest.indexOf('.'); dot >= 0; dot = rest.indexOf('.')) {
    rest = rest.slice(dot + 1);
    yield `*.${rest}`;
  }
  if (host !== '*') yield '*';
}

/**
 * A host as it was written in an object of a namespace: a name without a dot is a service of that namespace. Names with a
 * dot, wildcards and addresses stay as they are.
 */
export function resolveShortHost(host: string, namespace: string, domainSuffix: string): Hostname {
  const canonical = canonicalHost(host);
  if (canonical.includes('.') || canonical.includes(':') || canonical === '*' || namespace === '') return canonical;
  return `${canonical}.${namespace}.svc.${domainSuffix}`;
}
