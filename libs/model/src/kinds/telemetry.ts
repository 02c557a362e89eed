import { type Of, enumeration, list, map, message, required } from '../parse/message.ts';
import { bool, double, duration, string } from '../parse/scalars.ts';
import { PolicyTargetReference, WorkloadSelector } from './selector.ts';

export const MetricsMode = enumeration(['CLIENT_AND_SERVER', 'CLIENT', 'SERVER']);
export type MetricsMode = Of<typeof MetricsMode>;

export const TracingSelector = message({
  mode: MetricsMode,
});
export type TracingSelector = Of<typeof TracingSelector>;

export const ProviderRef = message({
  name: required(string, ''),
});
export type ProviderRef = Of<typeof ProviderRef>;

export const TracingLiteral = message({
  value: required(string, ''),
});
export type TracingLiteral = Of<typeof TracingLiteral>;

export const TracingEnvironment = message({
  name: required(string, ''),
  defaultValue: string,
});
export type TracingEnvironment = Of<typeof TracingEnvironment>;

export const TracingRequestHeader = message({
  name: required(string, ''),
  defaultValue: string,
});
export type TracingRequestHeader = Of<typeof TracingRequestHeader>;

export const TracingFormatter = message({
  value: required(string, ''),
});
export type TracingFormatter = Of<typeof TracingFormatter>;

export const TracingCustomTag = message(
  {
    literal: TracingLiteral,
    environment: TracingEnvironment,
    header: TracingRequestHeader,
    formatter: TracingFormatter,
  },
  ['literal', 'environment', 'header', 'formatter'],
);
export type TracingCustomTag = Of<typeof TracingCustomTag>;

export const TelemetryTracing = message({
  match: TracingSelector,
  providers: list(ProviderRef),
  randomSamplingPercentage: double,
  disableSpanReporting: bool,
  customTags: map(TracingCustomTag),
  useRequestIdForTraceSampling: bool,
  enableIstioTags: bool,
  disableContextPropagation: bool,
});
export type TelemetryTracing = Of<typeof TelemetryTracing>;

export const IstioMetric = enumeration([
  'ALL_METRICS',
  'REQUEST_COUNT',
  'REQUEST_DURATION',
  'REQUEST_SIZE',
  'RESPONSE_SIZE',
  'TCP_OPENED_CONNECTIONS',
  'TCP_CLOSED_CONNECTIONS',
  'TCP_SENT_BYTES',
  'TCP_RECEIVED_BYTES',
  'GRPC_REQUEST_MESSAGES',
  'GRPC_RESPONSE_MESSAGES',
]);
export type IstioMetric = Of<typeof IstioMetric>;

export const MetricSelector = message(
  {
    metric: IstioMetric,
    customMetric: string,
    mode: MetricsMode,
  },
  ['metric', 'customMetric'],
);
export type MetricSelector = Of<typeof MetricSelector>;

export const TagOverrideOperation = enumeration(['UPSERT', 'REMOVE']);
export type TagOverrideOperation = Of<typeof TagOverrideOperation>;

export const TagOverride = message({
  operation: TagOverrideOperation,
  value: string,
});
export type TagOverride = Of<typeof TagOverride>;

export const MetricsOverrides = message({
  match: MetricSelector,
  disabled: bool,
  tagOverrides: map(TagOverride),
});
export type MetricsOverrides = Of<typeof MetricsOverrides>;

export const TelemetryMetrics = message({
  providers: list(ProviderRef),
  overrides: list(MetricsOverrides),
  reportingInterval: duration,
});
export type TelemetryMetrics = Of<typeof TelemetryMetrics>;

export const AccessLogSelector = message({
  mode: MetricsMode,
});
export type AccessLogSelector = Of<typeof AccessLogSelector>;

export const AccessLogFilter = message({
  expression: string,
});
export type AccessLogFilter = Of<typeof AccessLogFilter>;

export const AccessLogging = message({
  match: AccessLogSelector,
  providers: list(ProviderRef),
  disabled: bool,
  filter: AccessLogFilter,
});
export type AccessLogging = Of<typeof AccessLogging>;

/** Tracing, metrics and access logs of the selected workloads. */
export const Telemetry = message({
  selector: WorkloadSelector,
  targetRef: PolicyTargetReference,
  targetRefs: list(PolicyTargetReference),
  tracing: list(TelemetryTracing),
  metrics: list(TelemetryMetrics),
  accessLogging: list(AccessLogging),
});
export type Telemetry = Of<typeof Telemetry>;
