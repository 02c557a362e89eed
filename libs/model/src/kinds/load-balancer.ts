import { type Of, deprecated, enumeration, list, map, message, required } from '../parse/message.ts';
import { bool, double, duration, string, uint32, uint64 } from '../parse/scalars.ts';

export const SimpleLB = enumeration([
  'UNSPECIFIED',
  'LEAST_CONN',
  'RANDOM',
  'PASSTHROUGH',
  'ROUND_ROBIN',
  'LEAST_REQUEST',
]);
export type SimpleLB = Of<typeof SimpleLB>;

export const ConsistentHashCookieAttribute = message({
  name: required(string, ''),
  value: string,
});
export type ConsistentHashCookieAttribute = Of<typeof ConsistentHashCookieAttribute>;

export const ConsistentHashCookie = message({
  name: required(string, ''),
  path: string,
  ttl: duration,
  attributes: list(ConsistentHashCookieAttribute),
});
export type ConsistentHashCookie = Of<typeof ConsistentHashCookie>;

export const RingHash = message({
  minimumRingSize: uint64,
});
export type RingHash = Of<typeof RingHash>;

export const MagLev = message({
  tableSize: uint64,
});
export type MagLev = Of<typeof MagLev>;

export const ConsistentHashLB = message(
  {
    httpHeaderName: string,
    httpCookie: ConsistentHashCookie,
    useSourceIp: bool,
    httpQueryParameterName: string,
    ringHash: RingHash,
    maglev: MagLev,
    minimumRingSize: deprecated(uint64),
  },
  ['httpHeaderName', 'httpCookie', 'useSourceIp', 'httpQueryParameterName'],
  ['ringHash', 'maglev'],
);
export type ConsistentHashLB = Of<typeof ConsistentHashLB>;

export const BackendUtilizationLB = message({
  weightStabilizationPeriod: duration,
  weightExpirationPeriod: duration,
  weightUpdatePeriod: duration,
  errorUtilizationPenaltyPercent: uint32,
  metricNamesForComputingUtilization: list(string),
});
export type BackendUtilizationLB = Of<typeof BackendUtilizationLB>;

export const LocalityDistribute = message({
  from: string,
  to: map(uint32),
});
export type LocalityDistribute = Of<typeof LocalityDistribute>;

export const LocalityFailover = message({
  from: string,
  to: string,
});
export type LocalityFailover = Of<typeof LocalityFailover>;

export const LocalityLoadBalancerSetting = message({
  distribute: list(LocalityDistribute),
  failover: list(LocalityFailover),
  failoverPriority: list(string),
  enabled: bool,
});
export type LocalityLoadBalancerSetting = Of<typeof LocalityLoadBalancerSetting>;

export const ZoneAwareLoadBalancerSetting = message({
  enabled: bool,
  failover: list(LocalityFailover),
  failoverPriority: list(string),
  minClusterSize: uint32,
});
export type ZoneAwareLoadBalancerSetting = Of<typeof ZoneAwareLoadBalancerSetting>;

export const WarmupConfiguration = message({
  duration: required(duration),
  minimumPercent: double,
  aggression: double,
});
export type WarmupConfiguration = Of<typeof WarmupConfiguration>;

export const LoadBalancerSettings = message(
  {
    simple: SimpleLB,
    consistentHash: ConsistentHashLB,
    backendUtilization: BackendUtilizationLB,
    localityLbSetting: LocalityLoadBalancerSetting,
    zoneAwareLbSetting: ZoneAwareLoadBalancerSetting,
    warmupDurationSecs: duration,
    warmup: WarmupConfiguration,
  },
  ['simple', 'consistentHash', 'backendUtilization'],
);
export type LoadBalancerSettings = Of<typeof LoadBalancerSettings>;
