import { type Hostname, hostLookupOrder, hostsOverlap, isWildcardHost } from '@kedge/model';
import type { VirtualServiceHead } from '@kedge/pushcontext';
import type { ListenerService } from './route-listener.ts';

/** Which VirtualService counts for a service. */
type WinnerOf = (host: Hostname) => VirtualServiceHead | undefined;

/** The one that names the service's host most exactly, of several the first; those that are of no use don't count. */
export function mostSpecific(
  heads: readonly VirtualServiceHead[],
  isUseless: (head: VirtualServiceHead) => boolean,
): WinnerOf {
  const byHost = Map.groupBy(
    heads.flatMap((head) => head.hosts.map((host) => ({ host, head }))),
    ({ host }) => host,
  );
  return (service) => {
    for (const host of hostLookupOrder(service)) {
      const named = byHost.get(host)?.find(({ head }) => !isUseless(head));
      if (named) return named.head;
    }
    return undefined;
  };
}

/** A VirtualService's hosts: those that are services, and those that only it knows. */
interface SplitHosts {
  readonly services: readonly ListenerService[];
  readonly others: readonly Hostname[];
}

/**
 * A wildcard stands for the services that it covers, except those for which another VirtualService is more specific; where
 * it covers none, it is a host of its own.
 */
export function splitHosts(
  head: VirtualServiceHead,
  services: ReadonlyMap<Hostname, ListenerService>,
  winnerOf: WinnerOf,
): SplitHosts {
  const found = new Set<ListenerService>();
  const others = new Set<Hostname>();
  const exact = head.hosts.filter((host) => !isWildcardHost(host));
  for (const host of exact) {
    const service = services.get(host);
    if (service) found.add(service);
    else others.add(host);
  }
  for (const host of head.hosts.filter(isWildcardHost)) {
    const covered = head.semantics === 'gateway' ? [] : [...services].filter(([name]) => hostsOverlap(host, name));
    if (covered.length === 0) others.add(host);
    for (const [name, service] of covered) if (winnerOf(name) === head) found.add(service);
  }
  return { services: [...found], others: [...others] };
}

/** Tells whether a VirtualService names any of the services: exactly, or by a wildcard on either side. */
export function concerns(services: ReadonlyMap<Hostname, ListenerService>): (head: VirtualServiceHead) => boolean {
  const all = [...services.keys()];
  const wildcards = all.filter(isWildcardHost);
  return ({ hosts }) =>
    hosts.some(
      (host) =>
        services.has(host) || (isWildcardHost(host) ? all : wildcards).some((service) => hostsOverlap(host, service)),
    );
}
