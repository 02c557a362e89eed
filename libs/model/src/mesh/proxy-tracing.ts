import { ClientTLSSettings } from '../kinds/client-tls.ts';
import { type Of, enumeration, list, map, message } from '../parse/message.ts';
import { bool, double, int64, string, uint32 } from '../parse/scalars.ts';

export const ProxyTracingZipkin = message({
  address: string,
});
export type ProxyTracingZipkin = Of<typeof ProxyTracingZipkin>;

export const ProxyTracingLightstep = message({
  address: string,
  accessToken: string,
});
export type ProxyTracingLightstep = Of<typeof ProxyTracingLightstep>;

export const ProxyTracingDatadog = message({
  address: string,
});
export type ProxyTracingDatadog = Of<typeof ProxyTracingDatadog>;

export const ProxyTracingStackdriver = message({
  debug: bool,
  maxNumberOfAttributes: int64,
  maxNumberOfAnnotations: int64,
  maxNumberOfMessageEvents: int64,
});
export type ProxyTracingStackdriver = Of<typeof ProxyTracingStackdriver>;

export const ProxyTracingTraceContext = enumeration([
  'UNSPECIFIED',
  'W3C_TRACE_CONTEXT',
  'GRPC_BIN',
  'CLOUD_TRACE_CONTEXT',
  'B3',
]);
export type ProxyTracingTraceContext = Of<typeof ProxyTracingTraceContext>;

export const ProxyTracingOpenCensusAgent = message({
  address: string,
  context: list(ProxyTracingTraceContext),
});
export type ProxyTracingOpenCensusAgent = Of<typeof ProxyTracingOpenCensusAgent>;

export const ProxyTracingLiteral = message({
  value: string,
});
export type ProxyTracingLiteral = Of<typeof ProxyTracingLiteral>;

export const ProxyTracingEnvironment = message({
  name: string,
  defaultValue: string,
});
export type ProxyTracingEnvironment = Of<typeof ProxyTracingEnvironment>;

export const ProxyTracingRequestHeader = message({
  name: string,
  defaultValue: string,
});
export type ProxyTracingRequestHeader = Of<typeof ProxyTracingRequestHeader>;

export const ProxyTracingCustomTag = message(
  {
    literal: ProxyTracingLiteral,
    environment: ProxyTracingEnvironment,
    header: ProxyTracingRequestHeader,
  },
  ['literal', 'environment', 'header'],
);
export type ProxyTracingCustomTag = Of<typeof ProxyTracingCustomTag>;

export const ProxyTracing = message(
  {
    zipkin: ProxyTracingZipkin,
    lightstep: ProxyTracingLightstep,
    datadog: ProxyTracingDatadog,
    stackdriver: ProxyTracingStackdriver,
    openCensusAgent: ProxyTracingOpenCensusAgent,
    customTags: map(ProxyTracingCustomTag),
    maxPathTagLength: uint32,
    sampling: double,
    tlsSettings: ClientTLSSettings,
    enableIstioTags: bool,
  },
  ['zipkin', 'lightstep', 'datadog', 'stackdriver', 'openCensusAgent'],
);
export type ProxyTracing = Of<typeof ProxyTracing>;
