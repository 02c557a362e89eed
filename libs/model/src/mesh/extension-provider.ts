import { type Of, deprecated, enumeration, list, map, message, required } from '../parse/message.ts';
import { bool, duration, int32, int64, string, struct, uint32 } from '../parse/scalars.ts';

export const EnvoyExternalAuthorizationRequestBody = message({
  maxRequestBytes: uint32,
  allowPartialMessage: bool,
  packAsBytes: bool,
});
export type EnvoyExternalAuthorizationRequestBody = Of<typeof EnvoyExternalAuthorizationRequestBody>;

export const EnvoyExternalAuthorizationHttpProvider = message({
  service: required(string, ''),
  port: required(uint32, 0),
  timeout: duration,
  pathPrefix: string,
  failOpen: bool,
  clearRouteCache: bool,
  statusOnError: string,
  includeHeadersInCheck: deprecated(list(string)),
  includeRequestHeadersInCheck: list(string),
  includeAdditionalHeadersInCheck: map(string),
  includeRequestBodyInCheck: EnvoyExternalAuthorizationRequestBody,
  headersToUpstreamOnAllow: list(string),
  headersToDownstreamOnDeny: list(string),
  headersToDownstreamOnAllow: list(string),
});
export type EnvoyExternalAuthorizationHttpProvider = Of<typeof EnvoyExternalAuthorizationHttpProvider>;

export const EnvoyExternalAuthorizationGrpcProvider = message({
  service: required(string, ''),
  port: required(uint32, 0),
  timeout: duration,
  failOpen: bool,
  clearRouteCache: bool,
  statusOnError: string,
  includeRequestBodyInCheck: EnvoyExternalAuthorizationRequestBody,
});
export type EnvoyExternalAuthorizationGrpcProvider = Of<typeof EnvoyExternalAuthorizationGrpcProvider>;

export const ZipkinTraceContext = enumeration(['USE_B3', 'USE_B3_WITH_W3C_PROPAGATION']);
export type ZipkinTraceContext = Of<typeof ZipkinTraceContext>;

export const HttpHeader = message(
  {
    name: string,
    value: string,
    envName: string,
  },
  ['value', 'envName'],
);
export type HttpHeader = Of<typeof HttpHeader>;

export const ZipkinTracingProvider = message({
  service: required(string, ''),
  port: required(uint32, 0),
  maxTagLength: uint32,
  enable64bitTraceId: bool,
  path: string,
  traceContextOption: ZipkinTraceContext,
  timeout: duration,
  headers: list(HttpHeader),
});
export type ZipkinTracingProvider = Of<typeof ZipkinTracingProvider>;

export const LightstepTracingProvider = message({
  service: required(string, ''),
  port: required(uint32, 0),
  accessToken: string,
  maxTagLength: uint32,
});
export type LightstepTracingProvider = Of<typeof LightstepTracingProvider>;

export const DatadogTracingProvider = message({
  service: required(string, ''),
  port: required(uint32, 0),
  maxTagLength: uint32,
});
export type DatadogTracingProvider = Of<typeof DatadogTracingProvider>;

export const StackdriverLogging = message({
  labels: map(string),
});
export type StackdriverLogging = Of<typeof StackdriverLogging>;

export const StackdriverProvider = message({
  debug: deprecated(bool),
  maxNumberOfAttributes: deprecated(int64),
  maxNumberOfAnnotations: deprecated(int64),
  maxNumberOfMessageEvents: deprecated(int64),
  maxTagLength: uint32,
  logging: StackdriverLogging,
});
export type StackdriverProvider = Of<typeof StackdriverProvider>;

export const OpenCensusTraceContext = enumeration([
  'UNSPECIFIED',
  'W3C_TRACE_CONTEXT',
  'GRPC_BIN',
  'CLOUD_TRACE_CONTEXT',
  'B3',
]);
export type OpenCensusTraceContext = Of<typeof OpenCensusTraceContext>;

export const OpenCensusAgentTracingProvider = message({
  service: required(string, ''),
  port: required(uint32, 0),
  context: list(OpenCensusTraceContext),
  maxTagLength: uint32,
});
export type OpenCensusAgentTracingProvider = Of<typeof OpenCensusAgentTracingProvider>;

export const SkyWalkingTracingProvider = message({
  service: required(string, ''),
  port: required(uint32, 0),
  accessToken: string,
});
export type SkyWalkingTracingProvider = Of<typeof SkyWalkingTracingProvider>;

export const HttpService = message({
  path: string,
  timeout: duration,
  headers: list(HttpHeader),
});
export type HttpService = Of<typeof HttpService>;

export const GrpcService = message({
  timeout: duration,
  initialMetadata: list(HttpHeader),
});
export type GrpcService = Of<typeof GrpcService>;

export const EnvironmentResourceDetector = message({});
export type EnvironmentResourceDetector = Of<typeof EnvironmentResourceDetector>;

export const DynatraceResourceDetector = message({});
export type DynatraceResourceDetector = Of<typeof DynatraceResourceDetector>;

export const ResourceDetectors = message({
  environment: EnvironmentResourceDetector,
  dynatrace: DynatraceResourceDetector,
});
export type ResourceDetectors = Of<typeof ResourceDetectors>;

export const ServiceAttributeEnrichment = enumeration(['ISTIO_CANONICAL', 'OTEL_SEMANTIC_CONVENTIONS']);
export type ServiceAttributeEnrichment = Of<typeof ServiceAttributeEnrichment>;

export const DynatraceApi = message({
  service: required(string, ''),
  port: required(uint32, 0),
  http: HttpService,
});
export type DynatraceApi = Of<typeof DynatraceApi>;

export const DynatraceSampler = message({
  tenant: string,
  clusterId: int32,
  rootSpansPerMinute: uint32,
  httpService: DynatraceApi,
});
export type DynatraceSampler = Of<typeof DynatraceSampler>;

export const OpenTelemetryTracingProvider = message({
  service: required(string, ''),
  port: required(uint32, 0),
  maxTagLength: uint32,
  http: HttpService,
  grpc: GrpcService,
  resourceDetectors: ResourceDetectors,
  serviceAttributeEnrichment: ServiceAttributeEnrichment,
  dynatraceSampler: DynatraceSampler,
});
export type OpenTelemetryTracingProvider = Of<typeof OpenTelemetryTracingProvider>;

export const PrometheusMetricsProvider = message({});
export type PrometheusMetricsProvider = Of<typeof PrometheusMetricsProvider>;

export const FileLogFormat = message(
  {
    text: string,
    labels: struct,
  },
  ['text', 'labels'],
);
export type FileLogFormat = Of<typeof FileLogFormat>;

export const EnvoyFileAccessLogProvider = message({
  path: string,
  logFormat: FileLogFormat,
  omitEmptyValues: bool,
});
export type EnvoyFileAccessLogProvider = Of<typeof EnvoyFileAccessLogProvider>;

export const EnvoyHttpGrpcV3LogProvider = message({
  service: required(string, ''),
  port: required(uint32, 0),
  logName: string,
  filterStateObjectsToLog: list(string),
  additionalRequestHeadersToLog: list(string),
  additionalResponseHeadersToLog: list(string),
  additionalResponseTrailersToLog: list(string),
});
export type EnvoyHttpGrpcV3LogProvider = Of<typeof EnvoyHttpGrpcV3LogProvider>;

export const EnvoyTcpGrpcV3LogProvider = message({
  service: required(string, ''),
  port: required(uint32, 0),
  logName: string,
  filterStateObjectsToLog: list(string),
});
export type EnvoyTcpGrpcV3LogProvider = Of<typeof EnvoyTcpGrpcV3LogProvider>;

export const OpenTelemetryLogFormat = message({
  text: string,
  labels: struct,
});
export type OpenTelemetryLogFormat = Of<typeof OpenTelemetryLogFormat>;

export const EnvoyOpenTelemetryLogProvider = message({
  service: required(string, ''),
  port: required(uint32, 0),
  logName: string,
  logFormat: OpenTelemetryLogFormat,
});
export type EnvoyOpenTelemetryLogProvider = Of<typeof EnvoyOpenTelemetryLogProvider>;

export const SDSProvider = message({
  name: string,
  service: required(string, ''),
  port: required(uint32, 0),
});
export type SDSProvider = Of<typeof SDSProvider>;

/** A service or sink that telemetry, tracing or authorization policies refer to by name. */
export const ExtensionProvider = message(
  {
    name: required(string, ''),
    envoyExtAuthzHttp: EnvoyExternalAuthorizationHttpProvider,
    envoyExtAuthzGrpc: EnvoyExternalAuthorizationGrpcProvider,
    zipkin: ZipkinTracingProvider,
    lightstep: deprecated(LightstepTracingProvider),
    datadog: DatadogTracingProvider,
    stackdriver: StackdriverProvider,
    opencensus: deprecated(OpenCensusAgentTracingProvider),
    skywalking: SkyWalkingTracingProvider,
    opentelemetry: OpenTelemetryTracingProvider,
    prometheus: PrometheusMetricsProvider,
    envoyFileAccessLog: EnvoyFileAccessLogProvider,
    envoyHttpAls: EnvoyHttpGrpcV3LogProvider,
    envoyTcpAls: EnvoyTcpGrpcV3LogProvider,
    envoyOtelAls: EnvoyOpenTelemetryLogProvider,
    sds: SDSProvider,
  },
  [
    'envoyExtAuthzHttp',
    'envoyExtAuthzGrpc',
    'zipkin',
    'lightstep',
    'datadog',
    'stackdriver',
    'opencensus',
    'skywalking',
    'opentelemetry',
    'prometheus',
    'envoyFileAccessLog',
    'envoyHttpAls',
    'envoyTcpAls',
    'envoyOtelAls',
    'sds',
  ],
);
export type ExtensionProvider = Of<typeof ExtensionProvider>;
