import type { FilterChain, Listener } from '@kedge/envoy-api';
import { type LocalAddresses, tcpAddress } from './addresses.ts';
import type { TypedExtension } from './messages.ts';
import { workloadServerTls } from './tls.ts';

export interface ListenerPorts {
  readonly prometheus: number;
  readonly status: number;
  /** Ports of the metrics listeners with mutual TLS; 0 is off. */
  readonly secureMetrics: number;
  readonly secureMergedMetrics: number;
}

export interface ListenerOptions {
  readonly ports: ListenerPorts;
  readonly addresses: LocalAddresses;
  /** Whether the Prometheus listener is for this host only. */
  readonly metricsOnLocalhost: boolean;
  readonly compressStats: boolean;
  /** Whether the status port takes the PROXY protocol, as some load balancers' health checks send it. */
  readonly statusProxyProtocol: boolean;
}

const extensions = 'type.googleapis.com/envoy.extensions';
const router: TypedExtension = {
  name: 'envoy.filters.http.router',
  typedConfig: { '@type': `${extensions}.filters.http.router.v3.Router` },
};

/** The proxy's own listeners: metrics and health, apart from everything that the control plane sends. */
export function ownListeners({ ports, addresses, ...options }: ListenerOptions): Listener[] {
  const host = options.metricsOnLocalhost ? 'localhost' : 'wildcard';
  return [
    listener(addresses[host], ports.prometheus, {
      ...additionalAddress(addresses.additional?.[host], ports.prometheus),
      filterChains: [
        routes('stats', { '/stats/prometheus': 'prometheus_stats' }, options.compressStats ? compressors : []),
      ],
    }),
    ...(ports.secureMetrics
      ? [secureListener(addresses, ports.secureMetrics, 'secure_stats', { '/stats/prometheus': 'prometheus_stats' })]
      : []),
    ...(ports.secureMergedMetrics
      ? [
          secureListener(addresses, ports.secureMergedMetrics, 'secure_merged_stats', {
            '/stats/prometheus': 'agent',
            '/metrics': 'agent',
          }),
        ]
      : []),
    listener(addresses.wildcard, ports.status, {
      ...additionalAddress(addresses.additional?.wildcard, ports.status),
      ...(options.statusProxyProtocol && { listenerFilters: [proxyProtocol] }),
      filterChains: [routes('agent', { '/healthz/ready': 'agent' })],
    }),
  ];
}

/** Neither connection limits nor overload may shut out health checks and metrics. */
function listener(address: string, port: number, fields: Listener): Listener {
  return {
    name: `${address}_${port}`,
    address: tcpAddress(address, port),
    ignoreGlobalConnLimit: true,
    bypassOverloadManager: true,
    ...fields,
  };
}

function secureListener(
  addresses: LocalAddresses,
  port: number,
  statPrefix: string,
  clusters: Readonly<Record<string, string>>,
): Listener {
  return listener(addresses.wildcard, port, {
    listenerFilters: [tlsInspector],
    filterChains: [
      {
        filterChainMatch: { transportProtocol: 'tls' },
        transportSocket: workloadServerTls(),
        ...routes(statPrefix, clusters),
      },
    ],
  });
}

function additionalAddress(address: string | undefined, port: number): Listener {
  return address ? { additionalAddresses: [{ address: tcpAddress(address, port) }] } : {};
}

/** An HTTP filter chain that routes path prefixes to clusters. */
function routes(
  statPrefix: string,
  clusters: Readonly<Record<string, string>>,
  filters: readonly TypedExtension[] = [],
): FilterChain {
  const virtualHost = {
    name: 'backend',
    domains: ['*'],
    routes: Object.entries(clusters).map(([prefix, name]) => ({ match: { prefix }, route: { cluster: name } })),
  };
  return {
    filters: [
      {
        name: 'envoy.filters.network.http_connection_manager',
        typedConfig: {
          '@type': `${extensions}.filters.network.http_connection_manager.v3.HttpConnectionManager`,
          codecType: 'AUTO',
          statPrefix,
          routeConfig: { virtualHosts: [virtualHost] },
          httpFilters: [...filters, router],
        },
      },
    ],
  };
}

const compressors: readonly TypedExtension[] = [
  ['brotli', 'Brotli'] as const,
  ['zstd', 'Zstd'] as const,
  ['gzip', 'Gzip'] as const,
].map(([name, message]) => ({
  name: `envoy.filters.http.compressor.${name}`,
  typedConfig: {
    '@type': `${extensions}.filters.http.compressor.v3.Compressor`,
    compressorLibrary: {
      name: `stats_${name}`,
      typedConfig: { '@type': `${extensions}.compression.${name}.compressor.v3.${message}` },
    },
    responseDirectionConfig: {
      commonConfig: {
        contentType: [
          'text/plain',
          'application/vnd.google.protobuf',
          'application/openmetrics-text',
          'application/openmetrics-protobuf',
        ],
      },
    },
  },
}));

const tlsInspector: TypedExtension = {
  name: 'envoy.filters.listener.tls_inspector',
  typedConfig: { '@type': `${extensions}.filters.listener.tls_inspector.v3.TlsInspector` },
};

const proxyProtocol: TypedExtension = {
  name: 'envoy.listener.proxy_protocol',
  typedConfig: {
    '@type': `${extensions}.filters.listener.proxy_protocol.v3.ProxyProtocol`,
    allowRequestsWithoutProxyProtocol: true,
  },
};
