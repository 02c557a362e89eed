import type { Query } from '@kedge/incremental';
import type { Endpoint, Hostname, Labels, Provider, Proxy, Service, ServicePort } from '@kedge/model';

/** A tracked derivation over the mesh, for the proxy that asks. */
export type MeshQuery<A extends readonly (string | number)[], V> = Query<Proxy, A, V>;

/** A port of a service that the asking proxy serves. */
export interface ServiceTarget {
  readonly service: Service;
  readonly port: ServicePort;
  /** The port of the workload behind it. */
  readonly targetPort: number;
}

/** What a registry knows of the workload that a proxy belongs to; it is more than, and overrides, what the proxy says. */
export interface ProxyWorkload {
  /** Labels of the workload, with the topology labels that follow from where it runs. */
  readonly labels: Labels;
  /** `region/zone/subzone`, empty where unknown. */
  readonly locality: string;
}

/** A gateway through which a network is reached from others. */
export interface NetworkGateway {
  readonly network: string;
  readonly cluster: string;
  /** IP address or host name. */
  readonly address: string;
  /** Port for mutual TLS with SNI routing, 0 where it has none. */
  readonly port: number;
  /** Port for nested HBONE, 0 where it has none. */
  readonly hbonePort: number;
}

/**
 * A source of services and endpoints: one (provider, cluster). All of it is queries, so every answer is a pure function
 * of the snapshot and of the asking proxy.
 */
export interface ServiceRegistry {
  readonly provider: Provider;
  readonly cluster: string;
  /** Every service, in no particular order. */
  readonly services: MeshQuery<[], readonly Service[]>;
  /** The services of a host, one for each object that defines it, of all namespaces. */
  readonly servicesOfHost: MeshQuery<[host: Hostname], readonly Service[]>;
  /** The endpoints of all services of a host in a namespace. */
  readonly endpoints: MeshQuery<[host: Hostname, namespace: string], readonly Endpoint[]>;
  /** What the asking proxy serves. */
  readonly serviceTargets: MeshQuery<[], readonly ServiceTarget[]>;
  /** The workload of the asking proxy, if the registry knows it. */
  readonly proxyWorkload: MeshQuery<[], ProxyWorkload | undefined>;
  readonly networkGateways: MeshQuery<[], readonly NetworkGateway[]>;
}
