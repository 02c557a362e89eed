import type { Address, Cluster, TransportSocket } from '@kedge/envoy-api';
import type { RemoteService } from '@kedge/model';
import { type LocalAddresses, parseAddress, tcpAddress } from './addresses.ts';
import type { NodeMetadata } from './node-metadata.ts';
import { upstreamTls } from './tls.ts';

const httpOptionsName = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';
const http2 = {
  typedExtensionProtocolOptions: {
    [httpOptionsName]: {
      '@type': `type.googleapis.com/${httpOptionsName}`,
      explicitHttpConfig: { http2ProtocolOptions: {} },
    },
  },
};

/** A cluster of one endpoint. Its stat name ends in a semicolon, by which the `cluster_name` tag finds the end of the name. */
function cluster(name: string, type: Cluster['type'], address: Address, fields: Cluster): Cluster {
  return {
    name,
    altStatName: `${name};`,
    type,
    connectTimeout: '1s',
    lbPolicy: 'ROUND_ROBIN',
    loadAssignment: { clusterName: name, endpoints: [{ lbEndpoints: [{ endpoint: { address } }] }] },
    ...fields,
  };
}

/** A port of this host: Envoy's own admin interface or the agent. */
export function localCluster(name: string, localhost: string, port: number): Cluster {
  return cluster(name, 'STATIC', tcpAddress(localhost, port), { connectTimeout: '0.250s' });
}

/** A gRPC service of the agent, or of another program on the host, behind a Unix socket. */
export function socketCluster(name: string, path: string): Cluster {
  return cluster(name, 'STATIC', { pipe: { path } }, http2);
}

/** The control plane, which Envoy reaches through the agent's socket. */
export function xdsCluster(socketPath: string): Cluster {
  const limits = { maxConnections: 100_000, maxPendingRequests: 100_000, maxRequests: 100_000 };
  return cluster(
    'xds-grpc',
    'STATIC',
    { pipe: { path: socketPath } },
    {
      ...http2,
      circuitBreakers: {
        thresholds: [
          { priority: 'DEFAULT', ...limits },
          { priority: 'HIGH', ...limits },
        ],
      },
      upstreamConnectionOptions: { tcpKeepalive: { keepaliveTime: 300 } },
      maxRequestsPerConnection: 1,
    },
  );
}

function dns(addresses: LocalAddresses) {
  return { respectDnsTtl: true, dnsLookupFamily: addresses.dnsLookupFamily };
}

export interface RemoteCluster {
  readonly name: string;
  /** The ProxyConfig field that the address comes from, for errors. */
  readonly field: string;
  readonly address: string;
  readonly http2: boolean;
  readonly tls?: TransportSocket;
  readonly fields?: Cluster;
}

/** A service outside the pod, found by DNS. */
export function remoteCluster(remote: RemoteCluster, addresses: LocalAddresses, hostIp: string): Cluster {
  const { host, port } = parseAddress(remote.field, remote.address, hostIp);
  return cluster(
    remote.name,
    'STRICT_DNS',
    { socketAddress: { address: host, portValue: port } },
    {
      ...dns(addresses),
      ...(remote.http2 && http2),
      ...(remote.tls && { transportSocket: remote.tls }),
      ...remote.fields,
    },
  );
}

/** A gRPC service that gets telemetry of the proxy. */
export function telemetryService(
  name: 'envoy_metrics_service' | 'envoy_accesslog_service',
  field: string,
  service: RemoteService | undefined,
  metadata: NodeMetadata,
): RemoteCluster[] {
  if (!service?.address) return [];
  return [
    {
      name,
      field: `${field}.address`,
      address: service.address,
      http2: true,
      tls: upstreamTls(service.tlsSettings, metadata, { defaultSni: name, http2: true }),
      fields: keepalive(service.tcpKeepalive),
    },
  ];
}

function keepalive(settings: RemoteService['tcpKeepalive']): Cluster {
  if (!settings) return {};
  const time = Math.trunc((settings.time ?? 0) / 1000);
  const interval = Math.trunc((settings.interval ?? 0) / 1000);
  return {
    upstreamConnectionOptions: {
      tcpKeepalive: {
        ...(settings.probes ? { keepaliveProbes: settings.probes } : {}),
        ...(time > 0 && { keepaliveTime: time }),
        ...(interval > 0 && { keepaliveInterval: interval }),
      },
    },
  };
}

/** The workload's own service, which zone-aware load balancing compares other services with. */
export function selfDiscoveryCluster(): Cluster {
  return {
    name: 'local_cluster',
    altStatName: 'local_cluster;',
    type: 'EDS',
    connectTimeout: '1s',
    loadBalancingPolicy: {
      policies: [
        {
          typedExtensionConfig: {
            name: 'envoy.load_balancing_policies.least_request',
            typedConfig: {
              '@type': 'type.googleapis.com/envoy.extensions.load_balancing_policies.least_request.v3.LeastRequest',
              localityLbConfig: { zoneAwareLbConfig: { minClusterSize: '1' } },
            },
          },
        },
      ],
    },
    edsClusterConfig: { edsConfig: { ads: {}, resourceApiVersion: 'V3' }, serviceName: 'local_cluster' },
  };
}
