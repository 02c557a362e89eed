import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import { type Diagnostic, EVERY_CLUSTER, type Hostname, type Service, UNSPECIFIED_ADDRESS } from '@kedge/model';
import { compareText, dnsDomain, features } from '@kedge/pushcontext';
import { includesAttemptCount } from '../proxy-headers.ts';
import { serviceAddresses } from '../service-addresses.ts';
import { ClaimedDomains, type DomainKey, DomainTable } from './claimed-domains.ts';
import { hostAndPort, urlHost } from './host-and-port.ts';
import { type HostGroup, hostGroups, HTTP_PORT } from './host-groups.ts';
import { type PlanEntry, planEntry, type PlannedVirtualHost, type RouteSource } from './planned-virtual-host.ts';
import { type RouteListener, routeListener } from './route-listener.ts';
import { sessionPolicyOf } from './session-policy.ts';
import { commonDomain, isCalledByItsName, serviceDomains } from './virtual-host-domains.ts';

/** A virtual host that has its place, and the text that it is filed under. */
export interface PlacedVirtualHost {
  readonly planned: PlannedVirtualHost;
  readonly entry: PlanEntry;
}

/** The virtual hosts of a listener, by name, and those that had no place among them. */
export interface ListenerPlan {
  readonly virtualHosts: readonly PlacedVirtualHost[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The domain of what becomes of requests for hosts that nobody knows. */
export const EVERY_HOST = '*';

/** A virtual host with all the domains that it would like to have. */
interface Candidate extends PlacedVirtualHost {
  readonly keys: readonly DomainKey[];
  readonly group: HostGroup;
  readonly host: Hostname;
  readonly service?: Service;
}

interface Candidates {
  /** Those who choose first first. */
  readonly all: readonly Candidate[];
  /** Their positions, by name. */
  readonly byName: readonly number[];
  /** Those whose name another one has. */
  readonly nameless: ReadonlySet<Candidate>;
  readonly table: DomainTable;
  readonly proper: Names['proper'];
}

/** What is known of the names of a listener's hosts. */
interface Names {
  keyOf(domain: string): DomainKey;
  /** The hosts that services have as names of their own: nobody else's shorthand may take one. */
  readonly proper: ReadonlySet<string>;
  /** The domain that clients look names up in. */
  readonly domain: string;
}

/**
 * The virtual hosts that a listener may have, for clients of no namespace in particular: so those of all namespaces share
 * them. @param domain see `commonDomain`
 */
const candidates = query('virtualHostCandidates', (read: MeshRead, key: string, domain: string): Candidates => {
  const listener = read(routeListener, key);
  const { groups } = read(hostGroups, key);
  const table = new DomainTable();
  const proper = properNames(groups);
  const names: Names = { keyOf: (name) => table.add(name), proper, domain };
  const all = listener ? groups.flatMap((group) => candidatesOf(read, listener, group, names)) : [];
  const byName = [...all.keys()].sort((a, b) => compareText(all[a]?.planned.name ?? '', all[b]?.planned.name ?? ''));
  const taken = new Set<string>();
  const nameless = all.filter(({ planned: { name } }) => taken.size === taken.add(name).size);
  return { all, byName, nameless: new Set(nameless), table, proper };
});

function candidatesOf(read: MeshRead, listener: RouteListener, group: HostGroup, names: Names): readonly Candidate[] {
  return [
    ...group.others.map((host) => candidate(read, group, { host }, [urlHost(host)], names)),
    ...group.services.map(({ service }) => serviceCandidate(read, listener, group, service, names)),
  ];
}

function serviceCandidate(
  read: MeshRead,
  { egress, port }: RouteListener,
  group: HostGroup,
  service: Service,
  names: Names,
): Candidate {
  const named = {
    hostname: service.hostname,
    aliases: egress.aliases.get(service.hostname) ?? [],
    addresses: addressesOf(read, service),
    headless: service.resolution === 'passthrough' && service.provider === 'Kubernetes',
  };
  const { domains, shorthand } = serviceDomains(named, {
    dnsDomain: names.domain,
    // Envoy is told to ignore the port, except where one listener serves all ports.
    port: port === 0 ? group.port : undefined,
    absoluteNames: features(read).absoluteFqdnDomains,
  });
  const admitted = domains.filter((domain) => !(shorthand.has(domain) && names.proper.has(domain)));
  return candidate(read, group, { host: service.hostname, service }, admitted, names);
}

function candidate(
  read: MeshRead,
  group: HostGroup,
  { host, service }: Pick<Candidate, 'host' | 'service'>,
  domains: readonly string[],
  { keyOf }: Names,
): Candidate {
  const session = service && sessionPolicyOf(service.labels, features(read));
  const planned: PlannedVirtualHost = {
    name: hostAndPort(host, group.port),
    domains,
    source: group.source,
    attemptCount: read(includesAttemptCount),
    ...(session ? { session } : {}),
  };
  const keys = domains.map(keyOf);
  return { planned, entry: planEntry(planned), keys, group, host, ...(service ? { service } : {}) };
}

/** Which virtual hosts a sidecar's listener has: each, so far as its name and domains are still free. */
export const listenerPlan = query('listenerPlan', (read: MeshRead, key: string): ListenerPlan => {
  const listener = read(routeListener, key);
  if (!listener) return { virtualHosts: [], diagnostics: [] };
  const domain = read.fact(dnsDomain);
  const { all, byName, nameless, table, proper } = read(candidates, key, commonDomain(domain));
  const names: Names = { keyOf: (name) => table.keyOf(name), proper, domain };
  const claimed = new ClaimedDomains(table, EVERY_HOST);
  const diagnostics = [...read(hostGroups, key).diagnostics];
  const placed = all.map((common) => {
    const { group, host, service } = common;
    const isNear = service && isCalledByItsName([host, ...(listener.egress.aliases.get(host) ?? [])], domain);
    const wished = isNear ? serviceCandidate(read, listener, group, service, names) : common;
    const domains = nameless.has(common) ? [] : claimed.claim(wished.planned.domains, wished.keys);
    if (domains.length === 0 && listener.port !== 0) diagnostics.push(...duplicate(group.source, host));
    return withDomains(wished, listener.port === 0 && group.port !== HTTP_PORT ? domains.filter(namesPort) : domains);
  });
  return { virtualHosts: byName.flatMap((at) => placed[at] ?? []), diagnostics };
});

/** Undefined where nothing is left. */
function withDomains(wished: PlacedVirtualHost, domains: readonly string[]): PlacedVirtualHost | undefined {
  if (domains.length === 0) return undefined;
  if (domains.length === wished.planned.domains.length) return wished;
  const planned = { ...wished.planned, domains };
  return { planned, entry: planEntry(planned) };
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

/** Of several addresses that a ServiceEntry states, clients can use the last as a host. */
function addressesOf(read: MeshRead, service: Service): readonly string[] {
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
