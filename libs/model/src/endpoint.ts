import type { Labels } from './labels.ts';
import type { Provider } from './service.ts';

/** `unknown` where nobody checks, as with WorkloadEntries and what a ServiceEntry lists; it counts as usable. */
export type HealthStatus = 'unknown' | 'healthy' | 'unhealthy' | 'draining' | 'terminating';

export type TlsMode = 'istio' | 'disabled';

/** One place where a port of a service is served. */
export interface Endpoint {
  /** IP addresses (several in dual-stack), a host name for services resolved by DNS, or a path `unix:///...`. */
  readonly addresses: readonly string[];
  readonly port: number;
  /** Name of the service port that it serves. */
  readonly portName: string;
  /** Number of the service port that it serves, where that is known and not only its name. It decides over the name. */
  readonly servicePort?: number;
  readonly labels: Labels;
  /** SPIFFE identity, empty where unknown. */
  readonly serviceAccount: string;
  readonly namespace: string;
  readonly workloadName: string;
  readonly network: string;
  /** `region/zone/subzone`, empty where unknown. */
  readonly locality: string;
  readonly cluster: string;
  readonly nodeName: string;
  /** Load-balancing weight, 0 where nothing was said. */
  readonly weight: number;
  readonly tlsMode: TlsMode;
  readonly health: HealthStatus;
  /** Pod's own DNS name, for headless services. */
  readonly hostname?: string;
  readonly subdomain?: string;
  /** Whether only proxies of the endpoint's own cluster may use it. */
  readonly clusterLocal?: boolean;
}

/** Endpoints of one service from one registry; shards of several registries are never mixed up. */
export interface EndpointShard {
  readonly provider: Provider;
  readonly cluster: string;
  readonly endpoints: readonly Endpoint[];
}
