import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import { type Diagnostic, EVERY_CLUSTER, type Hostname, type Service, UNSPECIFIED_ADDRESS } from '@kedge/model';
import { compareText, dnsDomain, features } from '@kedge/pushcontext';
import { includesAttemptCount } from '../proxy-headers.ts';
import { serviceAddresses } from '../service-addresses.ts';
import { ClaimedDomains } from './claimed-domains.ts';
import { hostAndPort, urlHost } from './host-and-port.ts';
import { type HostGroup, hostGroups, HTTP_PORT } from './host-groups.ts';
import { type PlanEntry, planEntry, type PlannedVirtualHost, type RouteSource } from './planned-virtual-host.ts';
import { type RouteListener, routeListener } from './route-listener.ts';
import { sessionPolicyOf } from './session-policy.ts';
import { commonDomain, type Domains, isCalledByItsName, serviceDomains } from './virtual-host-domains.ts';

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
  readonly group: HostGroup;
  readonly host: Hostname;
  readonly service?: Service;
  readonly shorthand: Domains['shorthand'];
}

interface Candidates {
  /** Those who choose first first. */
  readonly all: readonly Candidate[];
  /** Their positions, by name. */
  readonly byName: readonly number[];
  /** What is the name of a service itself. */
  readonly proper: ReadonlySet<string>;
}

/**
 * The virtual hosts that a listener may have, for clients of no namespace in particular: so those of all namespaces share
 * them. @param domain see `commonDomain`
 */
const candidates = query('virtualHostCandidates', (read: MeshRead, key: string, domain: string): Candidates => {
  const listener = read(routeListener, key);
  const { groups } = read(hostGroups, key);
  const all = listener ? groups.flatMap((group) => candidatesOf(read, listener, group, domain)) : [];
  const byName = [...all.keys()].sort((a, b) => compareText(all[a]?.planned.name ?? '', all[b]?.planned.name ?? ''));
  return { all, byName, proper: properNames(groups) };
});

function candidatesOf(read: MeshRead, listener: RouteListener, group: HostGroup, domain: string): readonly Candidate[] {
  return [
    ...group.others.map((host) => candidate(read, group, { host }, { domains: [urlHost(host)], shorthand: new Set() })),
    ...group.services.map(({ service }) => serviceCandidate(read, listener, group, service, domain)),
  ];
}

function serviceCandidate(
  read: MeshRead,
  { egress, port }: RouteListener,
  group: HostGroup,
  service: Service,
  domain: string,
): Candidate {
  const named = {
    hostname: service.hostname,
    aliases: egress.aliases.get(service.hostname) ?? [],
    addresses: addressesOf(read, service),
    headless: service.resolution === 'passthrough' && service.provider === 'Kubernetes',
  };
  const domains = serviceDomains(named, {
    dnsDomain: domain,
    // Envoy is told to ignore the port, except where one listener serves all ports.
    port: port === 0 ? group.port : undefined,
    absoluteNames: features(read).absoluteFqdnDomains,
  });
  return candidate(read, group, { host: service.hostname, service }, domains);
}

function candidate(
  read: MeshRead,
  group: HostGroup,
  { host, service }: Pick<Candidate, 'host' | 'service'>,
  { domains, shorthand }: Domains,
): Candidate {
  const session = service && sessionPolicyOf(service.labels, features(read));
  const planned: PlannedVirtualHost = {
    name: hostAndPort(host, group.port),
    domains,
    source: group.source,
    attemptCount: read(includesAttemptCount),
    ...(session ? { session } : {}),
  };
  return { planned, entry: planEntry(planned), group, host, ...(service ? { service } : {}), shorthand };
}

/** Which virtual hosts a sidecar's listener has: each, so far as its name and domains are still free. */
export const listenerPlan = query('listenerPlan', (read: MeshRead, key: string): ListenerPlan => {
  const listener = read(routeListener, key);
  if (!listener) return { virtualHosts: [], diagnostics: [] };
  const domain = read.fact(dnsDomain);
  const { all, byName, proper } = read(candidates, key, commonDomain(domain));
  const claimed = new ClaimedDomains(proper, [EVERY_HOST]);
  const diagnostics = [...read(hostGroups, key).diagnostics];
  const placed = all.map((common) => {
    const { group, host, service } = common;
    const isNear = service && isCalledByItsName([host, ...(listener.egress.aliases.get(host) ?? [])], domain);
    const wished = isNear ? serviceCandidate(read, listener, group, service, domain) : common;
    const domains = claimed.claimName(wished.planned.name)
      ? claimed.claim({ domains: wished.planned.domains, shorthand: wished.shorthand })
      : [];
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
