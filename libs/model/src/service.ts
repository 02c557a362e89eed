import type { Hostname } from './host.ts';
import type { Labels } from './labels.ts';
import type { Protocol } from './protocol.ts';
import type { Visibility } from './visibility.ts';

/** Which kind of registry a service or endpoint came from. */
export type Provider = 'Kubernetes' | 'External' | 'Consul' | 'Mcp' | 'Mock';

export interface ServicePort {
  readonly name: string;
  readonly port: number;
  readonly protocol: Protocol;
  /** The port of the workload where it is a number known from the service itself. */
  readonly targetPort?: number;
}

/**
 * How a proxy finds a service's endpoints: from the control plane (`client-side-lb`), by DNS (all addresses of one answer,
 * or one address at a time), by going wherever the connection was bound for (`passthrough`), or under another service's
 * name (`alias`).
 */
export type Resolution = 'client-side-lb' | 'dns' | 'dns-round-robin' | 'passthrough' | 'dynamic-dns' | 'alias';

export type TrafficDistribution = 'any' | 'prefer-same-zone' | 'prefer-same-node' | 'prefer-same-network';

/** Facts which only services of Kubernetes have. */
export interface KubernetesAttributes {
  readonly type: 'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalName';
  readonly externalName?: Hostname;
  readonly nodeLocal: boolean;
  readonly publishNotReadyAddresses: boolean;
  /** Addresses outside the cluster (load balancer, external IPs, node ports' nodes), per cluster. */
  readonly externalAddresses: Readonly<Record<string, readonly string[]>>;
  /** Node port of each service port, per cluster, where the external addresses are those of nodes. */
  readonly externalPorts: Readonly<Record<string, Readonly<Record<number, number>>>>;
}

/** A service of the mesh, from whatever registry. Identified by host name and namespace. */
export interface Service {
  readonly hostname: Hostname;
  readonly namespace: string;
  /** Name of the object that defines it. */
  readonly name: string;
  readonly provider: Provider;
  /** Clusters that define it, sorted. */
  readonly clusters: readonly string[];
  readonly creationTimestamp: number;
  readonly ports: readonly ServicePort[];
  /**
   * Virtual addresses per cluster, first one first; those under {@link EVERY_CLUSTER} hold in any cluster that has none of
   * its own. Empty where the service has none (headless).
   */
  readonly addresses: Readonly<Record<string, readonly string[]>>;
  /** The address used where the proxy's cluster has none of its own; `0.0.0.0` for none. */
  readonly defaultAddress: string;
  /** Addresses that the mesh made up for a service that declares none. */
  readonly autoAllocated: readonly string[];
  readonly resolution: Resolution;
  readonly meshExternal: boolean;
  readonly exportTo: Visibility;
  readonly labels: Labels;
  /** Labels of the workloads that it selects; absent where it selects none. */
  readonly selector?: Labels;
  readonly trafficDistribution: TrafficDistribution;
  /** Whether clients try all addresses of a host name at once and take the first that answers. */
  readonly racesConnections?: boolean;
  /** SPIFFE identities that its endpoints may have besides those their service accounts give. */
  readonly subjectAltNames: readonly string[];
  readonly kubernetes?: KubernetesAttributes;
}

export const UNSPECIFIED_ADDRESS = '0.0.0.0';

/** Key of addresses that do not depend on the cluster, as those of a ServiceEntry. */
export const EVERY_CLUSTER = '*';

/** The virtual addresses by which proxies of a cluster reach a service; none where it has none. */
export function serviceAddresses(service: Service, cluster: string): readonly string[] {
  const own = service.addresses[cluster] ?? service.addresses[EVERY_CLUSTER];
  if (own) return own;
  return service.defaultAddress === UNSPECIFIED_ADDRESS ? [] : [service.defaultAddress];
}

/** Identity of a service among all registries. */
export function serviceKey(service: Pick<Service, 'hostname' | 'namespace'>): string {
  return `${service.hostname}/${service.namespace}`;
}

/** The port of a number that proxies serve. Of two that share it, as DNS over UDP and TCP do, that is the one of TCP. */
export function portNumbered({ ports }: Pick<Service, 'ports'>, number: number): ServicePort | undefined {
  return ports.find(({ port, protocol }) => port === number && protocol !== 'UDP');
}

/** Services that proxies address by a name alone: there is nothing to bind a listener to. */
export function isHeadless(service: Service): boolean {
  return service.resolution === 'passthrough' && service.defaultAddress === UNSPECIFIED_ADDRESS;
}
