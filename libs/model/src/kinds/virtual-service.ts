import { type Of, deprecated, list, map, message, required } from '../parse/message.ts';
import { bool, duration, int32, string, uint32 } from '../parse/scalars.ts';
import { Destination } from './destination.ts';
import {
  CorsPolicy,
  Delegate,
  HTTPDirectResponse,
  HTTPFaultInjection,
  HTTPMirrorPolicy,
  HTTPRedirect,
  HTTPRetry,
  HTTPRewrite,
  HeaderManipulation,
  Percent,
} from './http-action.ts';
import { StringMatch } from './string-match.ts';

export const HTTPMatchRequest = message({
  name: string,
  uri: StringMatch,
  scheme: StringMatch,
  method: StringMatch,
  authority: StringMatch,
  headers: map(StringMatch),
  port: uint32,
  sourceLabels: map(string),
  gateways: list(string),
  queryParams: map(StringMatch),
  ignoreUriCase: bool,
  withoutHeaders: map(StringMatch),
  sourceNamespace: string,
  statPrefix: string,
});
export type HTTPMatchRequest = Of<typeof HTTPMatchRequest>;

export const HTTPRouteDestination = message({
  destination: required(Destination),
  weight: int32,
  headers: HeaderManipulation,
});
export type HTTPRouteDestination = Of<typeof HTTPRouteDestination>;

export const HTTPRoute = message({
  name: string,
  match: list(HTTPMatchRequest),
  route: list(HTTPRouteDestination),
  redirect: HTTPRedirect,
  directResponse: HTTPDirectResponse,
  delegate: Delegate,
  rewrite: HTTPRewrite,
  timeout: duration,
  retries: HTTPRetry,
  fault: HTTPFaultInjection,
  mirror: Destination,
  mirrors: list(HTTPMirrorPolicy),
  mirrorPercent: deprecated(uint32),
  mirrorPercentage: Percent,
  corsPolicy: CorsPolicy,
  headers: HeaderManipulation,
});
export type HTTPRoute = Of<typeof HTTPRoute>;

export const TLSMatchAttributes = message({
  sniHosts: required(list(string)),
  destinationSubnets: list(string),
  port: uint32,
  sourceLabels: map(string),
  gateways: list(string),
  sourceNamespace: string,
});
export type TLSMatchAttributes = Of<typeof TLSMatchAttributes>;

export const RouteDestination = message({
  destination: required(Destination),
  weight: int32,
});
export type RouteDestination = Of<typeof RouteDestination>;

export const TLSRoute = message({
  match: required(list(TLSMatchAttributes)),
  route: list(RouteDestination),
});
export type TLSRoute = Of<typeof TLSRoute>;

export const L4MatchAttributes = message({
  destinationSubnets: list(string),
  port: uint32,
  sourceSubnet: string,
  sourceLabels: map(string),
  gateways: list(string),
  sourceNamespace: string,
});
export type L4MatchAttributes = Of<typeof L4MatchAttributes>;

export const TCPRoute = message({
  match: list(L4MatchAttributes),
  route: list(RouteDestination),
});
export type TCPRoute = Of<typeof TCPRoute>;

/** Routes for the traffic to a set of hosts. */
export const VirtualService = message({
  hosts: list(string),
  gateways: list(string),
  http: list(HTTPRoute),
  tls: list(TLSRoute),
  tcp: list(TCPRoute),
  exportTo: list(string),
});
export type VirtualService = Of<typeof VirtualService>;
