import { type Of, deprecated, enumeration, list, map, message, required } from '../parse/message.ts';
import { bool, bytes, double, duration, int32, string, uint32 } from '../parse/scalars.ts';
import { Destination } from './destination.ts';
import { StringMatch } from './string-match.ts';

export const HeaderOperations = message({
  set: map(string),
  add: map(string),
  remove: list(string),
});
export type HeaderOperations = Of<typeof HeaderOperations>;

export const HeaderManipulation = message({
  request: HeaderOperations,
  response: HeaderOperations,
});
export type HeaderManipulation = Of<typeof HeaderManipulation>;

export const RedirectPortSelection = enumeration(['FROM_PROTOCOL_DEFAULT', 'FROM_REQUEST_PORT']);
export type RedirectPortSelection = Of<typeof RedirectPortSelection>;

export const HTTPRedirect = message(
  {
    uri: string,
    authority: string,
    port: uint32,
    derivePort: RedirectPortSelection,
    scheme: string,
    redirectCode: uint32,
    prefixRewrite: string,
  },
  ['port', 'derivePort'],
);
export type HTTPRedirect = Of<typeof HTTPRedirect>;

export const HTTPBody = message(
  {
    string,
    bytes,
  },
  ['string', 'bytes'],
);
export type HTTPBody = Of<typeof HTTPBody>;

export const HTTPDirectResponse = message({
  status: required(uint32, 0),
  body: HTTPBody,
});
export type HTTPDirectResponse = Of<typeof HTTPDirectResponse>;

export const Delegate = message({
  name: string,
  namespace: string,
});
export type Delegate = Of<typeof Delegate>;

export const RegexRewrite = message({
  match: string,
  rewrite: string,
});
export type RegexRewrite = Of<typeof RegexRewrite>;

export const HTTPRewrite = message({
  uri: string,
  authority: string,
  uriRegexRewrite: RegexRewrite,
});
export type HTTPRewrite = Of<typeof HTTPRewrite>;

export const HTTPRetry = message({
  attempts: int32,
  perTryTimeout: duration,
  retryOn: string,
  retryRemoteLocalities: bool,
  retryIgnorePreviousHosts: bool,
  backoff: duration,
});
export type HTTPRetry = Of<typeof HTTPRetry>;

/** From 0 to 100, with fractions. */
export const Percent = message({
  value: double,
});
export type Percent = Of<typeof Percent>;

export const FaultDelay = message(
  {
    percent: deprecated(int32),
    fixedDelay: duration,
    exponentialDelay: duration,
    percentage: Percent,
  },
  ['fixedDelay', 'exponentialDelay'],
);
export type FaultDelay = Of<typeof FaultDelay>;

export const FaultAbort = message(
  {
    httpStatus: int32,
    grpcStatus: string,
    http2Error: string,
    percentage: Percent,
  },
  ['httpStatus', 'grpcStatus', 'http2Error'],
);
export type FaultAbort = Of<typeof FaultAbort>;

export const HTTPFaultInjection = message({
  delay: FaultDelay,
  abort: FaultAbort,
});
export type HTTPFaultInjection = Of<typeof HTTPFaultInjection>;

export const HTTPMirrorPolicy = message({
  destination: required(Destination),
  percentage: Percent,
});
export type HTTPMirrorPolicy = Of<typeof HTTPMirrorPolicy>;

export const UnmatchedPreflights = enumeration(['UNSPECIFIED', 'FORWARD', 'IGNORE']);
export type UnmatchedPreflights = Of<typeof UnmatchedPreflights>;

export const CorsPolicy = message({
  allowOrigin: deprecated(list(string)),
  allowOrigins: list(StringMatch),
  allowMethods: list(string),
  allowHeaders: list(string),
  exposeHeaders: list(string),
  maxAge: duration,
  allowCredentials: bool,
  unmatchedPreflights: UnmatchedPreflights,
});
export type CorsPolicy = Of<typeof CorsPolicy>;
