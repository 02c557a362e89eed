import type { Bootstrap, Cluster, ConfigSource, Locality } from '@kedge/envoy-api';
import type { ProxyConfig } from '@kedge/model';
import { localAddresses, parseAddress } from './addresses.ts';
import {
  type RemoteCluster,
  localCluster,
  remoteCluster,
  selfDiscoveryCluster,
  socketCluster,
  telemetryService,
  xdsCluster,
} from './clusters.ts';
import { type ListenerOptions, ownListeners } from './listeners.ts';
import type { AgentBootstrap, TypedExtension } from './messages.ts';
import type { NodeMetadata } from './node-metadata.ts';
import { nodeLocality } from './node-metadata.ts';
import { type RuntimeOptions, downstreamConnectionLimit, runtimeFlags } from './runtime.ts';
import { serviceCluster } from './service-cluster.ts';
import { statsSettings } from './stats.ts';
import { type Tracer, tracer } from './tracing.ts';

export interface BootstrapOptions extends RuntimeOptions {
  /** `TYPE~IP~ID~DOMAIN`. */
  readonly nodeId: string;
  readonly metadata: NodeMetadata;
  /** Region and zone that the platform reports, for a workload without a locality label. */
  readonly platformLocality?: Locality;
  readonly proxyConfig: ProxyConfig;
  /** The agent's socket for xDS. */
  readonly xdsSocket: string;
  readonly deltaXds: boolean;
  readonly logAsJson: boolean;
  readonly dualStack: boolean;
  readonly statusProxyProtocol: boolean;
  /** What `$(HOST_IP)` in addresses stands for. */
  readonly hostIp: string;
  /** Socket by which an external program serves certificate files, where there is one. */
  readonly fileCredentialSocket?: string;
  /** Names of extensions that this Envoy lacks; they are left out. */
  readonly missingExtensions: ReadonlySet<string>;
}

/** Extension by which Istio's proxy looks up the metadata of its peers; a stock Envoy has none. */
const metadataDiscovery: TypedExtension = {
  name: 'metadata_discovery',
  typedConfig: {
    '@type': 'type.googleapis.com/udpa.type.v1.TypedStruct',
    typeUrl: 'type.googleapis.com/istio.workload.BootstrapExtension',
    value: { config_source: { ads: {} } },
  },
};

const internalListener: TypedExtension = {
  name: 'envoy.bootstrap.internal_listener',
  typedConfig: {
    '@type': 'type.googleapis.com/udpa.type.v1.TypedStruct',
    typeUrl: 'type.googleapis.com/envoy.extensions.bootstrap.internal_listener.v3.InternalListener',
    value: { buffer_size_kb: 64 },
  },
};

/**
 * The bootstrap of one proxy.
 * @throws Error naming the ProxyConfig field that cannot be used.
 */
export function buildBootstrap(options: BootstrapOptions): {
  readonly bootstrap: AgentBootstrap;
  readonly warnings: readonly string[];
} {
  const { proxyConfig: config, metadata } = options;
  const instanceIps = metadata.INSTANCE_IPS.split(',').filter(Boolean);
  const addresses = localAddresses(instanceIps, options.dualStack);
  const node = nodeOf(options);
  const trace = presentTracer(options, node.cluster);
  const delta = options.deltaXds || isWaypoint(options);
  const discovery = wantsMetadataDiscovery(options);
  const { warnings, ...stats } = statsSettings(config, metadata, discovery);
  const metrics = telemetryService('envoy_metrics_service', 'envoyMetricsService', metricsService(config), metadata);
  const accessLog = telemetryService(
    'envoy_accesslog_service',
    'envoyAccessLogService',
    config.envoyAccessLogService,
    metadata,
  );
  const remotes: readonly RemoteCluster[] = [...(trace ? [trace.collector] : []), ...metrics, ...accessLog];
  const adminPort = config.proxyAdminPort ?? 0;
  const selfDiscovery = metadata['ENABLE_SELF_DISCOVERY'] === 'true';
  const clusters: readonly Cluster[] = [
    localCluster('prometheus_stats', addresses.localhost, adminPort),
    localCluster('agent', addresses.localhost, config.statusPort ?? 0),
    socketCluster('sds-grpc', `./var/run/secrets/workload-spiffe-uds/${metadata['WORKLOAD_IDENTITY_SOCKET_FILE']}`),
    ...(options.fileCredentialSocket ? [socketCluster('sds-files-grpc', options.fileCredentialSocket)] : []),
    xdsCluster(options.xdsSocket),
    ...remotes.map((remote) => remoteCluster(remote, addresses, options.hostIp)),
    ...(selfDiscovery ? [selfDiscoveryCluster()] : []),
  ];
  const sinks = statsSinks(config, metrics.length > 0, options.hostIp);
  const bootstrap: AgentBootstrap = {
    applicationLogConfig: { logFormat: options.logAsJson ? jsonLog : textLog },
    node,
    layeredRuntime: {
      layers: [
        { name: 'global config', staticLayer: runtimeFlags(config, options) },
        { name: 'admin', adminLayer: {} },
      ],
    },
    bootstrapExtensions: [...(discovery ? [metadataDiscovery] : []), internalListener],
    ...stats,
    admin: adminInterface(addresses.localhost, adminPort),
    dynamicResources: dynamicResources(delta),
    staticResources: { clusters, listeners: ownListeners(listenerOptions(options, addresses)) },
    overloadManager: overloadManager(downstreamConnectionLimit(config)),
    ...(trace && { tracing: { http: trace.http } }),
    ...(sinks.length > 0 && { statsSinks: sinks }),
    ...clusterManager(metadata, selfDiscovery),
    deferredStatOptions: { enableDeferredCreationStats: true },
  };
  return { bootstrap, warnings };
}

/** An extension that only some builds of Envoy have, and the least bootstrap that tells whether a binary has it. */
export interface OptionalExtension {
  readonly name: string;
  readonly probe: Partial<Bootstrap>;
}

/** The extensions among those of this bootstrap that an Envoy may lack. */
export function optionalExtensions(options: BootstrapOptions): readonly OptionalExtension[] {
  const all = { ...options, missingExtensions: new Set<string>() };
  const trace = presentTracer(all, '');
  return [
    ...(wantsMetadataDiscovery(all)
      ? [{ name: metadataDiscovery.name, probe: { bootstrapExtensions: [metadataDiscovery] } }]
      : []),
    ...(trace ? [{ name: trace.http.name, probe: { tracing: { http: trace.http } } }] : []),
  ];
}

function nodeOf(options: BootstrapOptions): AgentBootstrap['node'] {
  const locality = nodeLocality(options.metadata);
  return {
    id: options.nodeId,
    cluster: serviceCluster(options.proxyConfig, options.metadata),
    locality: Object.keys(locality).length ? locality : (options.platformLocality ?? {}),
    metadata: options.metadata,
  };
}

function isWaypoint(options: BootstrapOptions): boolean {
  return options.nodeId.startsWith('waypoint~');
}

/** Waypoints always look up their peers. The lookup is a delta subscription, so it needs delta xDS. */
function wantsMetadataDiscovery(options: BootstrapOptions): boolean {
  if (options.missingExtensions.has(metadataDiscovery.name)) return false;
  return isWaypoint(options) || (options.deltaXds && options.metadata.METADATA_DISCOVERY === 'true');
}

function presentTracer(options: BootstrapOptions, serviceName: string): Tracer | undefined {
  const found = tracer(options.proxyConfig, options.metadata, serviceName);
  return found && options.missingExtensions.has(found.http.name) ? undefined : found;
}

function metricsService(config: ProxyConfig): ProxyConfig['envoyMetricsService'] {
  if (config.envoyMetricsService?.address) return config.envoyMetricsService;
  return config.envoyMetricsServiceAddress ? { address: config.envoyMetricsServiceAddress } : undefined;
}

const textLog = { textFormat: '%Y-%m-%dT%T.%fZ\t%l\tenvoy %n %g:%#\t%v\tthread=%t' };
const jsonLog = {
  jsonFormat: {
    time: '%Y-%m-%dT%T.%fZ',
    level: '%l',
    scope: 'envoy %n',
    msg: '%j',
    caller: '%g:%#',
    thread: '%t',
  },
};

function adminInterface(localhost: string, port: number): Bootstrap['admin'] {
  return {
    accessLog: [
      {
        name: 'envoy.access_loggers.file',
        typedConfig: {
          '@type': 'type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog',
          path: '/dev/null',
        },
      },
    ],
    profilePath: '/var/lib/istio/data/envoy.prof',
    address: { socketAddress: { address: localhost, portValue: port } },
  };
}

/** Clusters and listeners come over ADS; Envoy waits for the first answer rather than starting without. */
function dynamicResources(delta: boolean): Bootstrap['dynamicResources'] {
  const overAds: ConfigSource = { ads: {}, initialFetchTimeout: '0s', resourceApiVersion: 'V3' };
  return {
    ldsConfig: overAds,
    cdsConfig: overAds,
    adsConfig: {
      apiType: delta ? 'DELTA_GRPC' : 'GRPC',
      setNodeOnFirstMessageOnly: true,
      transportApiVersion: 'V3',
      grpcServices: [{ envoyGrpc: { clusterName: 'xds-grpc' } }],
    },
  };
}

function listenerOptions(options: BootstrapOptions, addresses: ListenerOptions['addresses']): ListenerOptions {
  const { metadata, proxyConfig } = options;
  return {
    ports: {
      prometheus: metadata.ENVOY_PROMETHEUS_PORT ?? 0,
      status: metadata.ENVOY_STATUS_PORT ?? 0,
      secureMetrics: metadata.ENVOY_SECURE_METRICS_PORT ?? 0,
      secureMergedMetrics: metadata.ENVOY_SECURE_MERGED_METRICS_PORT ?? 0,
    },
    addresses,
    metricsOnLocalhost: proxyConfig.proxyMetadata?.['METRICS_LOCALHOST_ACCESS_ONLY'] === 'true',
    compressStats: proxyConfig.statsCompression ?? true,
    statusProxyProtocol: options.statusProxyProtocol,
  };
}

function overloadManager(connectionLimit: number): Bootstrap['overloadManager'] {
  return {
    resourceMonitors: [
      {
        name: 'envoy.resource_monitors.global_downstream_max_connections',
        typedConfig: {
          '@type':
            'type.googleapis.com/envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig',
          maxActiveDownstreamConnections: connectionLimit,
        },
      },
    ],
  };
}

function statsSinks(config: ProxyConfig, metricsService: boolean, hostIp: string): readonly TypedExtension[] {
  const metricsType = 'type.googleapis.com/envoy.config.metrics.v3';
  const sinks: TypedExtension[] = [];
  if (metricsService) {
    sinks.push({
      name: 'envoy.stat_sinks.metrics_service',
      typedConfig: {
        '@type': `${metricsType}.MetricsServiceConfig`,
        transportApiVersion: 'V3',
        grpcService: { envoyGrpc: { clusterName: 'envoy_metrics_service' } },
      },
    });
  }
  if (config.statsdUdpAddress) {
    const { host, port } = parseAddress('statsdUdpAddress', config.statsdUdpAddress, hostIp);
    sinks.push({
      name: 'envoy.stat_sinks.statsd',
      typedConfig: {
        '@type': `${metricsType}.StatsdSink`,
        address: { socketAddress: { address: host, portValue: port } },
      },
    });
  }
  return sinks;
}

function clusterManager(metadata: NodeMetadata, selfDiscovery: boolean): Pick<Bootstrap, 'clusterManager'> {
  const outlierLog = metadata['OUTLIER_LOG_PATH'];
  const loadStats = loadStatsConfig(metadata);
  if (!outlierLog && !loadStats && !selfDiscovery) return {};
  return {
    clusterManager: {
      ...(selfDiscovery && { localClusterName: 'local_cluster' }),
      ...(typeof outlierLog === 'string' && { outlierDetection: { eventLogPath: outlierLog } }),
      ...(loadStats && { loadStatsConfig: loadStats }),
      enableDeferredClusterCreation: true,
    },
  };
}

function loadStatsConfig(metadata: NodeMetadata): object | undefined {
  const json = metadata['LOAD_STATS_CONFIG_JSON'];
  if (typeof json !== 'string' || json === '') return undefined;
  try {
    return JSON.parse(json) as object;
  } catch {
    throw new Error(`ISTIO_META_LOAD_STATS_CONFIG_JSON is not JSON: ${json}`);
  }
}
