import { parseDuration } from './parse/duration.ts';

/** A switch: the environment variable that sets it, its default, and how its text is read (`undefined`: not readable). */
interface Switch<T> {
  readonly variable: string;
  readonly fallback: T;
  readonly read: (text: string) => T | undefined;
}

const bool = (variable: string, fallback: boolean): Switch<boolean> => ({
  variable,
  fallback,
  read: (text) => (/^(1|t|true)$/i.test(text) ? true : /^(0|f|false)$/i.test(text) ? false : undefined),
});
const number = (variable: string, fallback: number): Switch<number> => ({
  variable,
  fallback,
  read: (text) => (text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined),
});
const text = (variable: string, fallback: string): Switch<string> => ({ variable, fallback, read: (value) => value });
/** Milliseconds. */
const duration = (variable: string, fallback: number): Switch<number> => ({ variable, fallback, read: parseDuration });

/** The switches in effect, by the name that the code uses; names and defaults of the variables are Istio's. */
const switches = {
  clusterId: text('CLUSTER_ID', 'Kubernetes'),
  podName: text('POD_NAME', ''),
  /** Where Gateways that stand for Ingresses are. */
  ingressNamespace: text('K8S_INGRESS_NS', 'istio-system'),
  podNamespace: text('POD_NAMESPACE', 'istio-system'),
  revision: text('REVISION', ''),
  debounceAfter: duration('PILOT_DEBOUNCE_AFTER', 100),
  debounceMax: duration('PILOT_DEBOUNCE_MAX', 10_000),
  debounceEndpoints: bool('PILOT_ENABLE_EDS_DEBOUNCE', true),
  pushThrottle: number('PILOT_PUSH_THROTTLE', 0),
  maxRequestsPerSecond: number('PILOT_MAX_REQUESTS_PER_SECOND', 0),
  maxReceiveMessageBytes: number('ISTIO_GPRC_MAXRECVMSGSIZE', 4 * 1024 * 1024),
  maxConcurrentStreams: number('ISTIO_GPRC_MAXSTREAMS', 100_000),
  keepaliveInterval: duration('GRPC_KEEPALIVE_INTERVAL', 30_000),
  keepaliveTimeout: duration('GRPC_KEEPALIVE_TIMEOUT', 10_000),
  dualStack: bool('ISTIO_DUAL_STACK', false),
  ambient: bool('PILOT_ENABLE_AMBIENT', false),
  sendHbone: bool('PILOT_ENABLE_SENDING_HBONE', false),
  listenHbone: bool('PILOT_ENABLE_SIDECAR_LISTENING_HBONE', false),
  preferHbone: bool('PILOT_PREFER_SENDING_HBONE', false),
  alpnFilter: bool('PILOT_ENABLE_ALPN_FILTER', true),
  metadataExchange: bool('PILOT_ENABLE_METADATA_EXCHANGE', true),
  disableMetadataExchangeAlpn: bool('PILOT_DISABLE_MX_ALPN', false),
  endpointTelemetryLabel: bool('PILOT_ENDPOINT_TELEMETRY_LABEL', true),
  telemetryLabel: bool('PILOT_ENABLE_TELEMETRY_LABEL', true),
  absoluteFqdnDomains: bool('PILOT_ENABLE_ABSOLUTE_FQDN_VHOST_DOMAIN', true),
  routeCollapse: bool('PILOT_ENABLE_ROUTE_COLLAPSE_OPTIMIZATION', true),
  autoSendUnhealthyEndpoints: bool('PILOT_AUTO_SEND_UNHEALTHY_ENDPOINTS', true),
  sendUnhealthyEndpoints: bool('PILOT_SEND_UNHEALTHY_ENDPOINTS', false),
  drainingLabel: text('PILOT_DRAINING_LABEL', 'istio.io/draining'),
  enhancedDestinationRuleMerge: bool('ENABLE_ENHANCED_DESTINATIONRULE_MERGE', true),
  preferDestinationRuleTlsForExternal: bool('PREFER_DESTINATIONRULE_TLS_FOR_EXTERNAL_SERVICES', true),
  edsForHeadless: bool('PILOT_ENABLE_EDS_FOR_HEADLESS_SERVICES', false),
  headlessFilterChainListener: bool('PILOT_ENABLE_HEADLESS_FILTER_CHAIN_LISTENER', false),
  multiclusterHeadless: bool('ENABLE_MULTICLUSTER_HEADLESS', true),
  localityWeightedLbConfig: bool('ENABLE_LOCALITY_WEIGHTED_LB_CONFIG', false),
  disableShadowHostSuffix: bool('DISABLE_SHADOW_HOST_SUFFIX', true),
  persistentSessions: bool('PILOT_ENABLE_PERSISTENT_SESSION_FILTER', false),
  persistentSessionLabel: text('PILOT_PERSISTENT_SESSION_LABEL', 'istio.io/persistent-session'),
  persistentSessionHeaderLabel: text('PILOT_PERSISTENT_SESSION_HEADER_LABEL', 'istio.io/persistent-session-header'),
  mongoFilter: bool('PILOT_ENABLE_MONGO_FILTER', true),
  mysqlFilter: bool('PILOT_ENABLE_MYSQL_FILTER', false),
  redisFilter: bool('PILOT_ENABLE_REDIS_FILTER', false),
  quicListeners: bool('PILOT_ENABLE_QUIC_LISTENERS', false),
  filterGatewayClusters: bool('PILOT_FILTER_GATEWAY_CLUSTER_CONFIG', false),
  scopeGatewayToNamespace: bool('PILOT_SCOPE_GATEWAY_TO_NAMESPACE', false),
  strictGatewayMerging: bool('PILOT_ENABLE_STRICT_GATEWAY_MERGING', true),
  gatewayTransportSocketConnectTimeout: duration('PILOT_GATEWAY_TRANSPORT_SOCKET_CONNECT_TIMEOUT', 15_000),
  http10: bool('PILOT_HTTP10', false),
  continueHeaders: bool('ENABLE_100_CONTINUE_HEADERS', true),
  sidecarUseRemoteAddress: bool('PILOT_SIDECAR_USE_REMOTE_ADDRESS', false),
  inboundListenerMerge: bool('PILOT_ALLOW_SIDECAR_SERVICE_INBOUND_LISTENER_MERGE', false),
  tlsOnSidecarIngress: bool('ENABLE_TLS_ON_SIDECAR_INGRESS', false),
  pickBestServiceNamespace: bool('PILOT_SIDECAR_PICK_BEST_SERVICE_NAMESPACE', true),
  wildcardServiceEntriesForTls: bool('ENABLE_WILDCARD_HOST_SERVICE_ENTRIES_FOR_TLS', false),
  workloadEntryAutoRegistration: bool('PILOT_ENABLE_WORKLOAD_ENTRY_AUTOREGISTRATION', true),
  workloadEntryHealthChecks: bool('PILOT_ENABLE_WORKLOAD_ENTRY_HEALTHCHECKS', true),
  workloadEntryGracePeriod: duration('PILOT_WORKLOAD_ENTRY_GRACE_PERIOD', 10_000),
  validateWorkloadEntryIdentity: bool('PILOT_WORKLOAD_ENTRY_VALIDATE_IDENTITY', true),
  ipAutoallocate: bool('PILOT_ENABLE_IP_AUTOALLOCATE', true),
  ipAutoallocateIpv4Prefix: text('PILOT_IP_AUTOALLOCATE_IPV4_PREFIX', '240.240.0.0/16'),
  ipAutoallocateIpv6Prefix: text('PILOT_IP_AUTOALLOCATE_IPV6_PREFIX', '2001:2::/48'),
  serviceEntrySelectsPods: bool('PILOT_ENABLE_SERVICEENTRY_SELECT_PODS', true),
  serviceSelectsWorkloadEntries: bool('PILOT_ENABLE_K8S_SELECT_WORKLOAD_ENTRIES', true),
  resolveHostnameGateways: bool('RESOLVE_HOSTNAME_GATEWAYS', true),
  traceSampling: number('PILOT_TRACE_SAMPLING', 1),
  dnsJitter: duration('PILOT_DNS_JITTER_DURATION', 100),
  dnsMaxUdpQueries: number('PILOT_DNS_CARES_UDP_MAX_QUERIES', 100),
  skipTrustDomainValidation: bool('PILOT_SKIP_VALIDATE_TRUST_DOMAIN', false),
  remoteJwks: text('PILOT_JWT_ENABLE_REMOTE_JWKS', 'false'),
  multipleCustomAuthorizers: bool('PILOT_ENABLE_MULTIPLE_CUSTOM_AUTHZ_PROVIDERS', false),
  selectorBasedGatewayPolicy: bool('ENABLE_SELECTOR_BASED_K8S_GATEWAY_POLICY', true),
  gatewayApi: bool('PILOT_ENABLE_GATEWAY_API', true),
  ipv4OutboundForIpv6: bool('ISTIO_ENABLE_IPV4_OUTBOUND_LISTENER_FOR_IPV6_CLUSTERS', false),
  canonicalServiceForExternal: bool('LABEL_CANONICAL_SERVICES_FOR_MESH_EXTERNAL_SERVICE_ENTRIES', false),
  dynamicDnsMaxHosts: number('PILOT_ALLOW_ANY_DYNAMIC_DNS_MAX_HOSTS', 1024),
  disableTrackRemaining: bool('DISABLE_TRACK_REMAINING_CB_METRICS', true),
  statusPortProxyProtocol: bool('ENVOY_STATUS_PORT_ENABLE_PROXY_PROTOCOL', false),
  compliancePolicy: text('COMPLIANCE_POLICY', ''),
  maxConnectionsPerSocketEvent: number('MAX_CONNECTIONS_PER_SOCKET_EVENT_LOOP', 1),
  additionalExchangeLabels: text('PILOT_MX_ADDITIONAL_LABELS', ''),
} as const;

/** Feature switches as a value: two servers in one process may have different ones. */
export type Features = {
  readonly [K in keyof typeof switches]: (typeof switches)[K] extends Switch<infer T> ? T : never;
};

export interface ParsedFeatures {
  readonly features: Features;
  /** What could not be read, in plain words; the default is in effect there. */
  readonly problems: readonly string[];
}

/** Reads the switches from an environment; variables it doesn't know are none of its business. */
export function parseFeatures(environment: Readonly<Record<string, string | undefined>> = {}): ParsedFeatures {
  const problems: string[] = [];
  const values = Object.entries(switches as Readonly<Record<string, Switch<unknown>>>).map(
    ([name, { variable, fallback, read }]) => {
      const given = environment[variable];
      if (given === undefined || given === '') return [name, fallback];
      const value = read(given);
      if (value !== undefined) return [name, value];
      problems.push(`${variable}: cannot read "${given}", using ${String(fallback)}`);
      return [name, fallback];
    },
  );
  return { features: Object.fromEntries(values) as Features, problems };
}
