import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import { type Hostname, isWildcardHost } from '@kedge/model';
import { compareText, features, hostOf, type MergedServer, serversOfRoute } from '@kedge/pushcontext';
import { type BoundHosts, boundHosts } from './bound-services.ts';
import { type BoundService, boundServiceArguments, hasGatewayRoutes } from './virtual-service-routes.ts';

/** A virtual host of a gateway's routes. */
export interface VirtualHostPlan {
  readonly name: string;
  readonly domains: readonly Hostname[];
  /** Whether requests in plain text are sent to HTTPS. */
  readonly requiresTls: boolean;
  /** Whose routes it has, in their order; one may be there more than once. */
  readonly services: readonly BoundService[];
}

/**
 * The virtual hosts of a route name, sorted by name, each as a line of JSON: as a text, so that routes are found again by it
 * when servers change in ways that don't matter to them.
 */
export const virtualHostPlans = query('gatewayVirtualHosts', (read: MeshRead, routeName: string): string => {
  const servers = read.by(serversOfRoute, routeName);
  const hosts = new HostTable(servers.some(({ http3 }) => http3));
  for (const server of servers) {
    for (const bound of boundHosts(read, server)) hosts.add(read, server, bound);
    hosts.redirect(server);
  }
  const plans = hosts.plans(features(read).routeCollapse);
  return plans.map((plan) => JSON.stringify(plan)).join('\n');
});

interface Entry {
  readonly port: number;
  requiresTls: boolean;
  readonly services: BoundService[];
}

/** Gathers what a host has on all servers that share a route name. */
class HostTable {
  readonly #entries = new Map<Hostname, Entry>();
  readonly #advertisesHttp3: boolean;
  /** Servers of a Gateway that share a route name share its routes too, as the first of them has them. */
  readonly #bound = new Map<string, BoundService>();

  constructor(advertisesHttp3: boolean) {
    this.#advertisesHttp3 = advertisesHttp3;
  }

  add(read: MeshRead, server: MergedServer, { head: { namespace, name }, hosts }: BoundHosts): void {
    const key = `${server.gateway} ${namespace}/${name}`;
    const bound = this.#bound.get(key) ?? {
      namespace,
      name,
      gateway: server.gateway,
      port: server.port,
      tls: server.tls !== undefined,
      advertisesHttp3: this.#advertisesHttp3,
    };
    if (!read.by(hasGatewayRoutes, ...boundServiceArguments(bound))) return;
    this.#bound.set(key, bound);
    for (const host of hosts) this.#entry(host, server).services.push(bound);
  }

  /** A server that redirects does so for all its hosts, also for those that nobody has routes for. */
  redirect(server: MergedServer): void {
    if (!server.tls?.httpsRedirect) return;
    for (const host of server.hosts.map(hostOf)) this.#entry(host, server);
  }

  #entry(host: Hostname, { port, tls }: MergedServer): Entry {
    let entry = this.#entries.get(host);
    if (!entry) this.#entries.set(host, (entry = { port, requiresTls: false, services: [] }));
    if (tls?.httpsRedirect) entry.requiresTls = true;
    return entry;
  }

  /** Hosts with the same routes are one virtual host, which has the name of the most specific, if so wished. */
  plans(collapse: boolean): readonly VirtualHostPlan[] {
    const plans = new Map<string, VirtualHostPlan>();
    for (const [host, entry] of [...this.#entries].sort(([a], [b]) => bySpecificity(a, b))) {
      const { port, requiresTls, services } = entry;
      const key = collapse ? JSON.stringify([requiresTls, services]) : host;
      const known = plans.get(key);
      if (known) plans.set(key, { ...known, domains: [...known.domains, host] });
      else plans.set(key, { name: `${host}:${port}`, domains: [host], requiresTls, services });
    }
    return [...plans.values()].sort((a, b) => compareText(a.name, b.name));
  }
}

/** Exact names before wildcards, longer before shorter. */
function bySpecificity(a: Hostname, b: Hostname): number {
  return Number(isWildcardHost(a)) - Number(isWildcardHost(b)) || b.length - a.length || compareText(a, b);
}
