import { type Of, enumeration, message } from '../parse/message.ts';
import { bool, duration, int32, uint32 } from '../parse/scalars.ts';

export const TcpKeepalive = message({
  probes: uint32,
  time: duration,
  interval: duration,
});
export type TcpKeepalive = Of<typeof TcpKeepalive>;

export const TcpConnectionPool = message({
  maxConnections: int32,
  connectTimeout: duration,
  tcpKeepalive: TcpKeepalive,
  maxConnectionDuration: duration,
  idleTimeout: duration,
});
export type TcpConnectionPool = Of<typeof TcpConnectionPool>;

export const ConnectionH2UpgradePolicy = enumeration(['DEFAULT', 'DO_NOT_UPGRADE', 'UPGRADE']);
export type ConnectionH2UpgradePolicy = Of<typeof ConnectionH2UpgradePolicy>;

export const ConnectionKeepalive = message({
  interval: duration,
  timeout: duration,
});
export type ConnectionKeepalive = Of<typeof ConnectionKeepalive>;

export const HttpConnectionPool = message({
  http1MaxPendingRequests: int32,
  http2MaxRequests: int32,
  maxRequestsPerConnection: int32,
  maxRetries: int32,
  idleTimeout: duration,
  h2UpgradePolicy: ConnectionH2UpgradePolicy,
  useClientProtocol: bool,
  maxConcurrentStreams: int32,
  http2KeepAlive: ConnectionKeepalive,
});
export type HttpConnectionPool = Of<typeof HttpConnectionPool>;

export const ConnectionPoolSettings = message({
  tcp: TcpConnectionPool,
  http: HttpConnectionPool,
});
export type ConnectionPoolSettings = Of<typeof ConnectionPoolSettings>;
