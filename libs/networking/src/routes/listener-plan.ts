import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import { type Diagnostic, EVERY_CLUSTER, type Hostname, isHttp, isUndecided, UNSPECIFIED_ADDRESS } from '@kedge/model';
import { compareText, dnsDomain, features, isOfNamespace, type VirtualServiceHead } from '@kedge/pushcontext';
import { includesAttemptCount } from '../proxy-headers.ts';
import { serviceAddresses } from '../service-addresses.ts';
import { ClaimedDomains } from './claimed-domains.ts';
import { hostAndPort, urlHost } from './host-and-port.ts';
import type { PlannedVirtualHost, RouteSource } from './planned-virtual-host.ts';
import { destinationHash } from './route-context.ts';
import { type ListenerService, type RouteListener, routeListener } from './route-listener.ts';
import { sessionPolicyOf } from './session-policy.ts';
import { hasSidecarRoutes, isBroken, sidecarRoutes } from './sidecar-routes.ts';
import { type ClientView, type Domains, serviceDomains } from './virtual-host-domains.ts';
import { concerns, mostSpecific, splitHosts } from './virtual-service-hosts.ts';

/** The virtual hosts of a listener, by name, and those that had no place among them. */
export interface ListenerPlan {
  readonly virtualHosts: readonly PlannedVirtualHost[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Hosts of one port that have the same routes. */
interface HostGroup {
  readonly port: number;
  readonly services: readonly ListenerService[];
  readonly others: readonly Hostname[];
  readonly source: RouteSource;
}

/** HTTP without a port of its own; VirtualServices for hosts that nobody else knows apply there too. */
const HTTP_PORT = 80;

/** The domain of what becomes of requests for hosts that nobody knows. */
export const EVERY_HOST = '*';

/** Which virtual hosts a sidecar's listener has: those of VirtualServices, then those of the services that have none. */
export const listenerPlan = query('listenerPlan', (read: MeshRead, key: string): ListenerPlan => {
  const listener = read(routeListener, key);
  if (!listener) return { virtualHosts: [], diagnostics: [] };
  const ruled = ruledGroups(read, key, listener);
  const taken = new Set(ruled.groups.flatMap(({ services }) => services.map(({ service }) => service.hostname)));
  const groups = [...ruled.groups, ...defaultGroups(read, listener, taken)];
  const { virtualHosts, diagnostics } = placeGroups(read, listener, groups);
  return { virtualHosts, diagnostics: [...ruled.diagnostics, ...diagnostics] };
});

interface RuledGroups {
  readonly groups: readonly HostGroup[];
  /** Of VirtualServices that are left without routes. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The hosts of VirtualServices, in the order in which these count. */
function ruledGroups(read: MeshRead, key: string, { egress, port, services }: RouteListener): RuledGroups {
  const winnerOf = mostSpecific(egress.virtualServices, ({ namespace, name }) =>
    read(isBroken, namespace, name, key, port),
  );
  const isConcerned = concerns(services);
  const groups: HostGroup[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const head of egress.virtualServices) {
    if (port !== HTTP_PORT && !isConcerned(head)) continue;
    const { namespace, name } = head;
    if (!read(hasSidecarRoutes, namespace, name, key, port)) {
      diagnostics.push(...read(sidecarRoutes, namespace, name, key, port).diagnostics);
      continue;
    }
    const split = splitHosts(head, services, winnerOf);
    if (!isAllowed(read, head, split.services)) continue;
    const source: RouteSource = { kind: 'virtual-service', namespace, name, listener: key, port };
    const byPort = groupByPort(split.services);
    if (byPort.size === 0 && port === HTTP_PORT) byPort.set(HTTP_PORT, []);
    for (const [of, members] of byPort) groups.push({ port: of, services: members, others: split.others, source });
  }
  return { groups, diagnostics };
}

/** A route of the Gateway API applies to services of its own namespace, or for clients of its own namespace. */
function isAllowed(
  read: MeshRead,
  { semantics, namespace }: VirtualServiceHead,
  services: readonly ListenerService[],
): boolean {
  if (semantics !== 'gateway') return true;
  if (services.some(({ service }) => service.namespace === namespace)) return true;
  return services.length > 0 && isOfNamespace(read, namespace);
}

function groupByPort(services: readonly ListenerService[]): Map<number, readonly ListenerService[]> {
  const pairs = services.flatMap((service) => httpPorts(service).map((port) => ({ port, service })));
  const groups = Map.groupBy(pairs, ({ port }) => port);
  return new Map([...groups].map(([port, members]) => [port, members.map(({ service }) => service)]));
}

const httpPorts = ({ ports }: ListenerService): readonly number[] =>
  ports.filter(({ protocol }) => isHttp(protocol) || isUndecided(protocol)).map(({ port }) => port);

/** Services that no VirtualService rules, each with a route of its own. Names for other services are part of those. */
function defaultGroups(
  read: MeshRead,
  { services }: RouteListener,
  taken: ReadonlySet<Hostname>,
): readonly HostGroup[] {
  return [...services]
    .filter(([host, { service }]) => !taken.has(host) && service.resolution !== 'alias')
    .flatMap(([host, service]) =>
      httpPorts(service).map((port) => {
        const hash = read(destinationHash, host, '', port);
        const source: RouteSource = { kind: 'service', host, port, ...(hash ? { hash } : {}) };
        return { port, services: [service], others: [], source };
      }),
    );
}

/** Gives each group its virtual hosts, so far as their names and domains are still free. */
function placeGroups(read: MeshRead, listener: RouteListener, groups: readonly HostGroup[]): ListenerPlan {
  const claimed = new ClaimedDomains(properNames(groups), [EVERY_HOST]);
  const switches = features(read);
  const client = { dnsDomain: read.fact(dnsDomain), absoluteNames: switches.absoluteFqdnDomains };
  const attemptCount = read(includesAttemptCount);
  const virtualHosts: PlannedVirtualHost[] = [];
  const diagnostics: Diagnostic[] = [];
  const place = (group: HostGroup, host: Hostname, all: Domains, rest: Partial<PlannedVirtualHost>): void => {
    const name = hostAndPort(host, group.port);
    const domains = claimed.claimName(name) ? claimed.claim(all) : [];
    if (domains.length === 0 && listener.port !== 0) diagnostics.push(...duplicate(group.source, host));
    const usable = listener.port === 0 && group.port !== HTTP_PORT ? domains.filter(namesPort) : domains;
    if (usable.length > 0) virtualHosts.push({ name, domains: usable, source: group.source, attemptCount, ...rest });
  };
  for (const group of groups) {
    // Envoy is told to ignore the port, except where one listener serves all ports.
    const view: ClientView = { ...client, port: listener.port === 0 ? group.port : undefined };
    for (const host of group.others) place(group, host, { domains: [urlHost(host)], shorthand: new Set() }, {});
    for (const { service } of group.services) {
      const session = sessionPolicyOf(service.labels, switches);
      const domains = domainsOf(read, listener, service, view);
      place(group, service.hostname, domains, session ? { session } : {});
    }
  }
  return { virtualHosts: virtualHosts.sort((a, b) => compareText(a.name, b.name)), diagnostics };
}

/** On ports other than 80, a client of an HTTP proxy says the port. */
const namesPort = (domain: string): boolean => domain.includes(':');

function properNames(groups: readonly HostGroup[]): ReadonlySet<string> {
  return new Set(
    groups.flatMap(({ services, port }) =>
      services.flatMap(({ service }) => [service.hostname, hostAndPort(service.hostname, port)]),
    ),
  );
}

function domainsOf(
  read: MeshRead,
  { egress }: RouteListener,
  service: ListenerService['service'],
  client: ClientView,
): Domains {
  return serviceDomains(
    {
      hostname: service.hostname,
      aliases: egress.aliases.get(service.hostname) ?? [],
      addresses: addressesOf(read, service),
      headless: service.resolution === 'passthrough' && service.provider === 'Kubernetes',
    },
    client,
  );
}

/** Of several addresses that a ServiceEntry states, clients can use the last as a host. */
function addressesOf(read: MeshRead, service: ListenerService['service']): readonly string[] {
  const stated = service.addresses[EVERY_CLUSTER];
  const addresses = stated ? stated.slice(-1) : serviceAddresses(read, service);
  return addresses.filter((address) => address !== UNSPECIFIED_ADDRESS);
}

/** The finding for a host of a VirtualService whose place another one has. */
function duplicate(source: RouteSource, host: Hostname): readonly Diagnostic[] {
  if (source.kind !== 'virtual-service') return [];
  const { namespace, name } = source;
  return [
    {
      kind: 'VirtualService',
      namespace,
      name,
      severity: 'error',
      code: 'duplicate-host',
      field: 'spec.hosts',
      message: `the routes for "${host}" have no effect on port ${source.port}: another VirtualService or service has its place`,
    },
  ];
}
