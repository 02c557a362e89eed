import { query } from '@kedge/incremental';
import {
  type ConfigOf,
  type Hostname,
  type IstioEgressListener,
  isVisibleTo,
  type SidecarOutboundTrafficPolicy,
  parseProtocol,
  type Service,
} from '@kedge/model';
import { byNamespace, type MeshRead } from '@kedge/config';
import { meshConfig, rootNamespace } from './mesh.ts';
import { servicesOfHost } from '@kedge/registry';
import { EgressHosts } from './egress-hosts.ts';
import { alike, sameMembers } from './equality.ts';
import { compareAge, compareText } from './precedence.ts';
import { configNamespace, nodeType } from './proxy-facts.ts';
import { proxyMatches } from './proxy-workload.ts';
import { ScopedServices } from './scoped-services.ts';
import { serviceAliases } from './service-aliases.ts';
import type { Destination } from './virtual-service-destinations.ts';
import { destinationsFor, MESH_GATEWAY, type VirtualServiceHead, virtualServicesFor } from './virtual-services.ts';
import { visibleServices } from './visible-services.ts';

/** One egress listener of a Sidecar with what it imports; a single one that imports all where there is no Sidecar. */
export interface EgressListener {
  /** Undefined for the listener that is there by default. */
  readonly spec: IstioEgressListener | undefined;
  readonly services: readonly Service[];
  /** Further names of the services, where they have any. */
  readonly aliases: ReadonlyMap<Hostname, readonly Hostname[]>;
  /** Those that count first come first. */
  readonly virtualServices: readonly VirtualServiceHead[];
}

/** What of the mesh a proxy sees. */
export interface SidecarScope {
  readonly namespace: string;
  readonly sidecar: ConfigOf<'Sidecar'> | undefined;
  readonly egress: readonly EgressListener[];
  /** The union over all egress listeners, and what their VirtualServices lead to; one entry a host, mostly. */
  readonly services: readonly Service[];
  readonly outboundTrafficPolicy: SidecarOutboundTrafficPolicy | undefined;
}

/** Sidecars of a namespace in the order in which they are tried: with selector first, then by age. */
const sidecarsOf = query(
  'sidecarsOf',
  (read: MeshRead, namespace: string) =>
    read
      .group(byNamespace.Sidecar, namespace)
      .toSorted((a, b) => Number(!a.spec.workloadSelector) - Number(!b.spec.workloadSelector) || compareAge(a, b)),
  sameMembers,
);

/** The Sidecar that counts for the proxy: its namespace's, else the root namespace's. */
const sidecarOf = query('sidecarOf', (read: MeshRead): ConfigOf<'Sidecar'> | undefined => {
  const own = read(sidecarsOf, read.fact(configNamespace)).find(
    ({ spec }) => !spec.workloadSelector || proxyMatches(read, spec.workloadSelector.labels),
  );
  return own ?? read(sidecarsOf, rootNamespace(read)).find(({ spec }) => !spec.workloadSelector);
});

/** The scope of the proxy. Proxies of a namespace that have the same Sidecar share it. */
export const sidecarScope = query(
  'sidecarScope',
  (read: MeshRead): SidecarScope => {
    if (read.fact(nodeType) !== 'sidecar') return read(openScope, read.fact(configNamespace));
    const sidecar = read.by(sidecarOf);
    const namespace = read.fact(configNamespace);
    const specs = sidecar?.spec.egress.length ? sidecar.spec.egress : [undefined];
    const egress = specs.map((spec) => read(egressListener, namespace, spec ? JSON.stringify(spec) : ''));
    const policy = sidecar?.spec.outboundTrafficPolicy ?? meshOutboundPolicy(read);
    return {
      namespace,
      sidecar,
      egress,
      services: importedServices(read, namespace, egress),
      outboundTrafficPolicy: policy,
    };
  },
  sameScope,
);

/** The scope of gateways and waypoints, which no Sidecar limits: all that their namespace may see. */
const openScope = query(
  'openScope',
  (read: MeshRead, namespace: string): SidecarScope => {
    const scoped = new ScopedServices();
    for (const service of read(visibleServices, namespace)) scoped.add(service);
    const virtualServices = read(virtualServicesFor, namespace, MESH_GATEWAY);
    return {
      namespace,
      sidecar: undefined,
      egress: [{ spec: undefined, services: [], aliases: new Map(), virtualServices }],
      services: scoped.list(),
      outboundTrafficPolicy: undefined,
    };
  },
  sameScope,
);

function meshOutboundPolicy(read: MeshRead): SidecarOutboundTrafficPolicy | undefined {
  const mode = meshConfig(read).outboundTrafficPolicy?.mode;
  return mode ? ({ mode } as SidecarOutboundTrafficPolicy) : undefined;
}

function sameScope(a: SidecarScope, b: SidecarScope): boolean {
  return (
    a.namespace === b.namespace &&
    a.sidecar === b.sidecar &&
    sameMembers(a.egress, b.egress) &&
    sameMembers(a.services, b.services) &&
    alike(a.outboundTrafficPolicy, b.outboundTrafficPolicy)
  );
}

/** An egress listener by what it says (as JSON), so that namespaces' equal listeners need not be told apart by position. */
const egressListener = query(
  'egressListener',
  (read: MeshRead, namespace: string, specJson: string): EgressListener => {
    const spec = specJson === '' ? undefined : (JSON.parse(specJson) as IstioEgressListener);
    const all = read(visibleServices, namespace);
    const routes = read(virtualServicesFor, namespace, MESH_GATEWAY);
    const hosts = EgressHosts.parse(spec?.hosts ?? ['*/*'], namespace);
    const port = matchedPort(spec);
    const services = all
      .filter((service) => hosts.admitsService(service.hostname, service.namespace))
      .map((service) => (port === undefined ? service : onlyPorts(service, new Set([port]))))
      .filter((service) => service !== undefined);
    const virtualServices = routes.filter((route) =>
      route.hosts.some((host) => hosts.admitsRoute(host, route.namespace, route.semantics === 'gateway')),
    );
    const imported = oneNamespacePerHost(services, namespace);
    return { spec, services: imported, aliases: admittedAliases(read, hosts, imported), virtualServices };
  },
  (a, b) =>
    sameMembers(a.services, b.services) &&
    sameMembers(a.virtualServices, b.virtualServices) &&
    alike(a.aliases, b.aliases),
);

function admittedAliases(
  read: MeshRead,
  hosts: EgressHosts,
  services: readonly Service[],
): ReadonlyMap<Hostname, readonly Hostname[]> {
  const all = read(serviceAliases);
  if (all.size === 0) return all;
  const admitted = services
    .map(({ hostname, namespace }) => ({ hostname, namespace, aliases: all.get(hostname) ?? [] }))
    .map(({ hostname, namespace, aliases }) => [hostname, hosts.admittedAliases(hostname, namespace, aliases)] as const)
    .filter(([, aliases]) => aliases.length > 0);
  return new Map(admitted);
}

/** The port that imported services must have; none for listeners that capture all ports and for HTTP proxies. */
function matchedPort(spec: IstioEgressListener | undefined): number | undefined {
  const port = spec?.port;
  if (!port?.number || parseProtocol(port.protocol ?? '') === 'HTTP_PROXY') return undefined;
  return port.number;
}

/** The service with these of its ports; undefined where it has none of them. */
function onlyPorts(service: Service, wanted: ReadonlySet<number>): Service | undefined {
  const ports = service.ports.filter(({ port }) => wanted.has(port));
  if (ports.length === service.ports.length) return service;
  return ports.length > 0 ? { ...service, ports } : undefined;
}

/** Where a host is defined in several namespaces, one is chosen: the proxy's own, else one of Kubernetes, else the first. */
function oneNamespacePerHost(services: readonly Service[], namespace: string): readonly Service[] {
  const chosen = new Map<Hostname, Service>();
  for (const service of services) {
    const current = chosen.get(service.hostname);
    if (!current || outranks(service, current, namespace)) chosen.set(service.hostname, service);
  }
  return services.filter((service) => chosen.get(service.hostname)?.namespace === service.namespace);
}

function outranks(service: Service, current: Service, namespace: string): boolean {
  if (service.namespace === namespace) return true;
  if (current.namespace === namespace) return false;
  return current.provider !== 'Kubernetes' && service.provider === 'Kubernetes';
}

/** Services of all listeners; then those that their VirtualServices lead to, which never displace one asked for. */
function importedServices(read: MeshRead, namespace: string, egress: readonly EgressListener[]): readonly Service[] {
  const scoped = new ScopedServices();
  for (const listener of egress) {
    for (const service of listener.services) scoped.add(service);
    const listenerPort = matchedPort(listener.spec);
    for (const route of listener.virtualServices) {
      for (const destination of destinationsFor(read, route, namespace)) {
        for (const service of destinationServices(read, destination, namespace, listenerPort)) scoped.add(service);
      }
    }
  }
  return scoped.list();
}

/** The services of a destination in the namespace that counts: the proxy's, one of Kubernetes, or else that of the oldest. */
function destinationServices(
  read: MeshRead,
  { host, ports }: Destination,
  namespace: string,
  listenerPort: number | undefined,
): readonly Service[] {
  const candidates = read(servicesOfHost, host);
  const visible = candidates.filter(({ exportTo }) => isVisibleTo(exportTo, namespace));
  const chosen =
    candidates.find((candidate) => candidate.namespace === namespace) ??
    visible
      .filter(({ provider }) => provider === 'Kubernetes')
      .toSorted((a, b) => compareText(a.namespace, b.namespace))[0] ??
    visible.toSorted(compareAge)[0];
  const wanted = listenerPort === undefined ? ports : new Set([listenerPort]);
  return candidates
    .filter((candidate) => candidate.namespace === chosen?.namespace && candidate.provider === chosen.provider)
    .map((service) => (wanted === 'all' ? service : onlyPorts(service, wanted)))
    .filter((service) => service !== undefined);
}

/** The services of a scope. */
export const scopeServices = query('scopeServices', (read: MeshRead) => read(sidecarScope).services, sameMembers);

const scopeHosts = query('scopeHosts', (read: MeshRead): ReadonlyMap<Hostname, readonly Service[]> => {
  return Map.groupBy(read(scopeServices), ({ hostname }) => hostname);
});

/** What the proxy sees under a host name: one service, or several where they serve different ports in different ways. */
export const scopeServicesOfHost = query(
  'scopeServicesOfHost',
  (read: MeshRead, host: Hostname): readonly Service[] => read(scopeHosts).get(host) ?? [],
  sameMembers,
);
