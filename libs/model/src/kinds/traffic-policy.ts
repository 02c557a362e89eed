import { type Of, enumeration, list, message, required } from '../parse/message.ts';
import { double, duration, string, uint32 } from '../parse/scalars.ts';
import { ClientTLSSettings } from './client-tls.ts';
import { ConnectionPoolSettings } from './connection-pool.ts';
import { PortSelector } from './destination.ts';
import { LoadBalancerSettings } from './load-balancer.ts';
import { OutlierDetection } from './outlier-detection.ts';

export const PortTrafficPolicy = message({
  port: PortSelector,
  loadBalancer: LoadBalancerSettings,
  connectionPool: ConnectionPoolSettings,
  outlierDetection: OutlierDetection,
  tls: ClientTLSSettings,
});
export type PortTrafficPolicy = Of<typeof PortTrafficPolicy>;

export const TunnelSettings = message({
  protocol: string,
  targetHost: required(string, ''),
  targetPort: required(uint32, 0),
});
export type TunnelSettings = Of<typeof TunnelSettings>;

export const ProxyProtocolVersion = enumeration(['V1', 'V2']);
export type ProxyProtocolVersion = Of<typeof ProxyProtocolVersion>;

export const ProxyProtocol = message({
  version: ProxyProtocolVersion,
});
export type ProxyProtocol = Of<typeof ProxyProtocol>;

export const RetryBudget = message({
  percent: double,
  minRetryConcurrency: uint32,
  budgetInterval: duration,
});
export type RetryBudget = Of<typeof RetryBudget>;

export const TrafficPolicy = message({
  loadBalancer: LoadBalancerSettings,
  connectionPool: ConnectionPoolSettings,
  outlierDetection: OutlierDetection,
  tls: ClientTLSSettings,
  portLevelSettings: list(PortTrafficPolicy),
  tunnel: TunnelSettings,
  proxyProtocol: ProxyProtocol,
  retryBudget: RetryBudget,
});
export type TrafficPolicy = Of<typeof TrafficPolicy>;
