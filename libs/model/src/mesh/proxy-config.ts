import { ClientTLSSettings } from '../kinds/client-tls.ts';
import { TcpKeepalive } from '../kinds/connection-pool.ts';
import { ProxyImage } from '../kinds/proxy-config-resource.ts';
import { ReadinessProbe } from '../kinds/readiness-probe.ts';
import { type Of, deprecated, enumeration, list, map, message } from '../parse/message.ts';
import { bool, duration, int32, string, uint32 } from '../parse/scalars.ts';
import { ProxyTracing } from './proxy-tracing.ts';

export const TracingServiceName = enumeration([
  'APP_LABEL_AND_NAMESPACE',
  'CANONICAL_NAME_ONLY',
  'CANONICAL_NAME_AND_NAMESPACE',
]);
export type TracingServiceName = Of<typeof TracingServiceName>;

export const AuthenticationPolicy = enumeration({ NONE: 0, MUTUAL_TLS: 1, INHERIT: 1000 });
export type AuthenticationPolicy = Of<typeof AuthenticationPolicy>;

export const InboundInterceptionMode = enumeration(['REDIRECT', 'TPROXY', 'NONE']);
export type InboundInterceptionMode = Of<typeof InboundInterceptionMode>;

export const SDS = message({
  enabled: bool,
  k8sSaJwtPath: string,
});
export type SDS = Of<typeof SDS>;

export const RemoteService = message({
  address: string,
  tlsSettings: ClientTLSSettings,
  tcpKeepalive: TcpKeepalive,
});
export type RemoteService = Of<typeof RemoteService>;

export const ForwardClientCertDetails = enumeration([
  'UNDEFINED',
  'SANITIZE',
  'FORWARD_ONLY',
  'APPEND_FORWARD',
  'SANITIZE_SET',
  'ALWAYS_FORWARD_ONLY',
]);
export type ForwardClientCertDetails = Of<typeof ForwardClientCertDetails>;

export const ProxyProtocolConfiguration = message({});
export type ProxyProtocolConfiguration = Of<typeof ProxyProtocolConfiguration>;

export const Topology = message({
  numTrustedProxies: uint32,
  forwardClientCertDetails: ForwardClientCertDetails,
  proxyProtocol: ProxyProtocolConfiguration,
});
export type Topology = Of<typeof Topology>;

export const ProxyStatsMatcher = message({
  inclusionPrefixes: list(string),
  inclusionSuffixes: list(string),
  inclusionRegexps: list(string),
});
export type ProxyStatsMatcher = Of<typeof ProxyStatsMatcher>;

export const CryptoMb = message({
  pollDelay: duration,
  fallback: bool,
});
export type CryptoMb = Of<typeof CryptoMb>;

export const QAT = message({
  pollDelay: duration,
  fallback: bool,
});
export type QAT = Of<typeof QAT>;

export const PrivateKeyProvider = message(
  {
    cryptomb: CryptoMb,
    qat: QAT,
  },
  ['cryptomb', 'qat'],
);
export type PrivateKeyProvider = Of<typeof PrivateKeyProvider>;

export const SetCurrentClientCertDetails = message({
  subject: bool,
  cert: bool,
  chain: bool,
  dns: bool,
  uri: bool,
});
export type SetCurrentClientCertDetails = Of<typeof SetCurrentClientCertDetails>;

export const RequestIdHeader = message({
  disabled: bool,
});
export type RequestIdHeader = Of<typeof RequestIdHeader>;

export const ServerHeader = message({
  disabled: bool,
  value: string,
});
export type ServerHeader = Of<typeof ServerHeader>;

export const AttemptCountHeader = message({
  disabled: bool,
});
export type AttemptCountHeader = Of<typeof AttemptCountHeader>;

export const EnvoyDebugHeaders = message({
  disabled: bool,
});
export type EnvoyDebugHeaders = Of<typeof EnvoyDebugHeaders>;

export const MetadataExchangeMode = enumeration(['UNDEFINED', 'IN_MESH']);
export type MetadataExchangeMode = Of<typeof MetadataExchangeMode>;

export const MetadataExchangeHeaders = message({
  mode: MetadataExchangeMode,
});
export type MetadataExchangeHeaders = Of<typeof MetadataExchangeHeaders>;

export const XForwardedHostHeader = message({
  enabled: bool,
});
export type XForwardedHostHeader = Of<typeof XForwardedHostHeader>;

export const XForwardedPortHeader = message({
  enabled: bool,
});
export type XForwardedPortHeader = Of<typeof XForwardedPortHeader>;

export const ProxyHeaders = message({
  forwardedClientCert: ForwardClientCertDetails,
  setCurrentClientCertDetails: SetCurrentClientCertDetails,
  requestId: RequestIdHeader,
  server: ServerHeader,
  attemptCount: AttemptCountHeader,
  envoyDebugHeaders: EnvoyDebugHeaders,
  metadataExchangeHeaders: MetadataExchangeHeaders,
  preserveHttp1HeaderCase: bool,
  xForwardedHost: XForwardedHostHeader,
  xForwardedPort: XForwardedPortHeader,
});
export type ProxyHeaders = Of<typeof ProxyHeaders>;

export const ConnectionProfile = enumeration(['SIDECAR', 'EDGE']);
export type ConnectionProfile = Of<typeof ConnectionProfile>;

export const HeadersWithUnderscoresAction = enumeration([
  'HEADERS_WITH_UNDERSCORES_UNSPECIFIED',
  'HEADERS_WITH_UNDERSCORES_ALLOW',
  'HEADERS_WITH_UNDERSCORES_REJECT_REQUEST',
  'HEADERS_WITH_UNDERSCORES_DROP_HEADER',
]);
export type HeadersWithUnderscoresAction = Of<typeof HeadersWithUnderscoresAction>;

export const PathWithEscapedSlashesAction = enumeration([
  'PATH_WITH_ESCAPED_SLASHES_UNSPECIFIED',
  'KEEP_UNCHANGED',
  'REJECT_REQUEST',
  'UNESCAPE_AND_REDIRECT',
  'UNESCAPE_AND_FORWARD',
]);
export type PathWithEscapedSlashesAction = Of<typeof PathWithEscapedSlashesAction>;

export const ConnectionSettings = message({
  profile: ConnectionProfile,
  listenerPerConnectionBufferLimitBytes: int32,
  clusterPerConnectionBufferLimitBytes: int32,
  httpIdleTimeout: duration,
  httpMaxConnectionDuration: duration,
  httpDrainTimeout: duration,
  httpRequestTimeout: duration,
  httpRequestHeadersTimeout: duration,
  httpStreamIdleTimeout: duration,
  httpMaxStreamDuration: duration,
  httpMaxConcurrentStreams: int32,
  http2InitialStreamWindowSize: int32,
  http2InitialConnectionWindowSize: int32,
  httpHeadersWithUnderscoresAction: HeadersWithUnderscoresAction,
  httpMergeSlashes: bool,
  httpPathWithEscapedSlashesAction: PathWithEscapedSlashesAction,
  listenerConnectionLimit: int32,
  globalDownstreamConnectionLimit: int32,
});
export type ConnectionSettings = Of<typeof ConnectionSettings>;

/** Settings of a proxy: the mesh's `defaultConfig`, overridden by annotation or the object `ProxyConfig`. */
export const ProxyConfig = message(
  {
    configPath: string,
    binaryPath: string,
    serviceCluster: string,
    tracingServiceName: TracingServiceName,
    drainDuration: duration,
    discoveryAddress: string,
    discoveryRefreshDelay: deprecated(duration),
    zipkinAddress: deprecated(string),
    statsdUdpAddress: string,
    envoyMetricsServiceAddress: deprecated(string),
    proxyAdminPort: int32,
    availabilityZone: deprecated(string),
    controlPlaneAuthPolicy: AuthenticationPolicy,
    customConfigFile: string,
    statNameLength: int32,
    concurrency: int32,
    proxyBootstrapTemplatePath: string,
    interceptionMode: InboundInterceptionMode,
    tracing: ProxyTracing,
    sds: deprecated(SDS),
    envoyAccessLogService: RemoteService,
    envoyMetricsService: RemoteService,
    proxyMetadata: map(string),
    runtimeValues: map(string),
    statusPort: int32,
    extraStatTags: list(string),
    gatewayTopology: Topology,
    terminationDrainDuration: duration,
    meshId: string,
    readinessProbe: ReadinessProbe,
    proxyStatsMatcher: ProxyStatsMatcher,
    holdApplicationUntilProxyStarts: bool,
    caCertificatesPem: list(string),
    image: ProxyImage,
    privateKeyProvider: PrivateKeyProvider,
    proxyHeaders: ProxyHeaders,
    fileFlushInterval: duration,
    fileFlushMinSizeKb: uint32,
    statsCompression: bool,
    connectionSettings: ConnectionSettings,
  },
  ['serviceCluster', 'tracingServiceName'],
);
export type ProxyConfig = Of<typeof ProxyConfig>;
