import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import { type Diagnostic, type Hostname, isHttp, isUndecided } from '@kedge/model';
import { isOfNamespace, type VirtualServiceHead } from '@kedge/pushcontext';
import type { RouteSource } from './planned-virtual-host.ts';
import { destinationHash } from './route-context.ts';
import { type ListenerService, type RouteListener, routeListener } from './route-listener.ts';
import { hasSidecarRoutes, isBroken, sidecarRoutes } from './sidecar-routes.ts';
import { concerns, mostSpecific, splitHosts } from './virtual-service-hosts.ts';

/** Hosts of one port that have the same routes. */
export interface HostGroup {
  readonly port: number;
  readonly services: readonly ListenerService[];
  readonly others: readonly Hostname[];
  readonly source: RouteSource;
}

/** The hosts of a listener, those that come first choose their names first. */
interface HostGroups {
  readonly groups: readonly HostGroup[];
  /** Of VirtualServices that are left without routes. */
  readonly diagnostics: readonly Diagnostic[];
}

/** HTTP without a port of its own; VirtualServices for hosts that nobody else knows apply there too. */
export const HTTP_PORT = 80;

/** Which hosts a sidecar's listener has, and their routes: those of VirtualServices, then the services that have none. */
export const hostGroups = query('hostGroups', (read: MeshRead, key: string): HostGroups => {
  const listener = read(routeListener, key);
  if (!listener) return { groups: [], diagnostics: [] };
  const { groups, diagnostics } = ruledGroups(read, key, listener);
  const taken = new Set(groups.flatMap(({ services }) => services.map(({ service }) => service.hostname)));
  return { groups: [...groups, ...defaultGroups(read, listener, taken)], diagnostics };
});

/** The hosts of VirtualServices, in the order in which these count. */
function ruledGroups(read: MeshRead, key: string, { egress, port, services }: RouteListener): HostGroups {
  const winnerOf = mostSpecific(egress.virtualServices, ({ namespace, name }) =>
    isBroken(read, namespace, name, key, port),
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
