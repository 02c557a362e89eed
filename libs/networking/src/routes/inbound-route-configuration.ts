import type { RouteConfiguration } from '@kedge/envoy-api';
import type { MeshRead } from '@kedge/config';
import type { Hostname, Protocol } from '@kedge/model';
import { meshConfig } from '@kedge/pushcontext';
import { defaultInboundRoute } from './default-route.ts';

/** A port of the workload, as an inbound filter chain serves it. */
interface InboundTarget {
  readonly cluster: string;
  /** The host of the service that the chain is for; empty where a Sidecar defines the port. */
  readonly host: Hostname;
  /** The service's port, or the Sidecar's. */
  readonly port: number;
  readonly protocol: Protocol;
}

/** The routes of an inbound chain, which stand in the listener itself: whatever the host, to the workload. */
export function inboundRouteConfiguration(read: MeshRead, target: InboundTarget): RouteConfiguration {
  const { cluster, port, protocol } = target;
  const route = defaultInboundRoute(target, cluster, protocol, meshConfig(read).defaultInboundHttpRetryPolicy);
  return {
    name: cluster,
    virtualHosts: [{ name: `inbound|http|${port}`, domains: ['*'], routes: [route] }],
    validateClusters: false,
  };
}
