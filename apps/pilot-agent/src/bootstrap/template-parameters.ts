import type { Cluster } from '@kedge/envoy-api';
import type { EffectiveProxyConfig } from '@kedge/model';
import { localAddresses, parseAddress } from './addresses.ts';
import type { BootstrapOptions } from './bootstrap.ts';
import type { AgentBootstrap } from './messages.ts';
import { downstreamConnectionLimit } from './runtime.ts';
import { lightstepToken } from './tracing.ts';

/** A parameter of a template: texts of JSON where they stand for a part of the bootstrap. */
type Parameter = string | number | boolean | object | null | undefined;

/** Statistics that a template names itself. */
const prefixesOfTemplates: ReadonlySet<string> = new Set(['reporter=', 'workload_discovery', 'component', 'istio']);

/**
 * What a template of a bootstrap refers to, under the names of Istio's own template; taken from the bootstrap that the agent
 * would write itself, so that both say the same.
 */
export function templateParameters(
  options: Omit<BootstrapOptions, 'proxyConfig'> & { readonly proxyConfig: EffectiveProxyConfig },
  bootstrap: AgentBootstrap,
): Readonly<Record<string, Parameter>> {
  const { metadata, proxyConfig: config } = options;
  const addresses = localAddresses(metadata.INSTANCE_IPS.split(',').filter(Boolean), options.dualStack);
  const { node, statsConfig, layeredRuntime, dynamicResources, bootstrapExtensions } = bootstrap;
  const patterns = statsConfig.statsMatcher.inclusionList.patterns;
  const runtime = layeredRuntime?.layers?.find(({ staticLayer }) => staticLayer)?.staticLayer;
  const tracer = ['zipkin', 'lightstep', 'datadog_agent'].map((name) => clusterNamed(bootstrap, name)).find(Boolean);
  const metricsService = clusterNamed(bootstrap, 'envoy_metrics_service');
  const accessLogService = clusterNamed(bootstrap, 'envoy_accesslog_service');
  return {
    config: capitalized(config),
    metadata,
    nodeID: options.nodeId,
    nodeType: options.nodeId.split('~')[0],
    cluster: node.cluster,
    region: node.locality?.region,
    zone: node.locality?.zone,
    sub_zone: node.locality?.subZone,
    meta_json_str: JSON.stringify(node.metadata),
    runtime_flags: JSON.stringify(runtime ?? {}),
    xds_type: dynamicResources?.adsConfig?.apiType,
    discovery_address: config.discoveryAddress,
    discovery_host: parseAddress('discoveryAddress', config.discoveryAddress).host,
    localhost: addresses.localhost,
    wildcard: addresses.wildcard,
    additional_localhost: addresses.additional?.localhost,
    additional_wildcard: addresses.additional?.wildcard,
    dual_stack: addresses.additional !== undefined,
    dns_lookup_family: addresses.dnsLookupFamily,
    log_json: options.logAsJson,
    outlier_log_path: metadata['OUTLIER_LOG_PATH'],
    custom_file_path: options.fileCredentialSocket,
    workload_identity_socket_file: metadata['WORKLOAD_IDENTITY_SOCKET_FILE'],
    load_stats_config_json_str: metadata['LOAD_STATS_CONFIG_JSON'],
    enable_self_discovery: metadata['ENABLE_SELF_DISCOVERY'] === 'true',
    metadata_discovery: bootstrapExtensions.some(({ name }) => name === 'metadata_discovery'),
    global_downstream_max_connections: downstreamConnectionLimit(config),
    envoy_status_port: metadata.ENVOY_STATUS_PORT,
    envoy_status_port_enable_proxy_protocol: options.statusProxyProtocol,
    envoy_prometheus_port: metadata.ENVOY_PROMETHEUS_PORT,
    secure_metrics_port: metadata.ENVOY_SECURE_METRICS_PORT,
    secure_merged_metrics_port: metadata.ENVOY_SECURE_MERGED_METRICS_PORT,
    metrics_localhost_access_only: config.proxyMetadata?.['METRICS_LOCALHOST_ACCESS_ONLY'] === 'true',
    stats_flush_interval: bootstrap.statsFlushInterval,
    stats_eviction_interval: bootstrap.statsEvictionInterval,
    histogram_buckets: statsConfig.histogramBucketSettings,
    extraStatTags: config.extraStatTags ?? [],
    inclusionPrefix: patterns.flatMap(({ prefix }) => (prefix && !prefixesOfTemplates.has(prefix) ? [prefix] : [])),
    inclusionSuffix: patterns.flatMap(({ suffix }) => (suffix ? [suffix] : [])),
    inclusionRegexps: patterns.flatMap(({ safeRegex }) => (safeRegex?.regex ? [safeRegex.regex] : [])),
    zipkin: addressOf(clusterNamed(bootstrap, 'zipkin')),
    lightstep: addressOf(clusterNamed(bootstrap, 'lightstep')),
    lightstepToken: lightstepToken(config)?.path,
    datadog: addressOf(clusterNamed(bootstrap, 'datadog_agent')),
    tracing_tls: json(tracer?.transportSocket),
    statsd: config.statsdUdpAddress ? statsdAddress(config.statsdUdpAddress, options.hostIp) : undefined,
    envoy_metrics_stats_compression: config.statsCompression ?? true,
    envoy_metrics_service_address: addressOf(metricsService),
    envoy_metrics_service_tls: json(metricsService?.transportSocket),
    envoy_metrics_service_tcp_keepalive: json(metricsService?.upstreamConnectionOptions),
    envoy_accesslog_service_address: addressOf(accessLogService),
    envoy_accesslog_service_tls: json(accessLogService?.transportSocket),
    envoy_accesslog_service_tcp_keepalive: json(accessLogService?.upstreamConnectionOptions),
  };
}

function clusterNamed({ staticResources }: AgentBootstrap, name: string): Cluster | undefined {
  return staticResources.clusters.find((cluster) => cluster.name === name);
}

/** The socket address of a cluster's one endpoint. */
function addressOf(cluster: Cluster | undefined): string | undefined {
  return json(cluster?.loadAssignment?.endpoints?.[0]?.lbEndpoints?.[0]?.endpoint?.address?.socketAddress);
}

function statsdAddress(address: string, hostIp: string): string {
  const { host, port } = parseAddress('statsdUdpAddress', address, hostIp);
  return JSON.stringify({ address: host, portValue: port });
}

const json = (value: object | undefined): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value);

/** Templates name the fields as Go does. */
const capitalized = (config: object): object =>
  Object.fromEntries(
    Object.entries(config).map(([name, value]: [string, unknown]) => [name[0]!.toUpperCase() + name.slice(1), value]),
  );
