import type { MeshRead } from '@kedge/config';
import type { Cluster, Messages, TcpKeepalive } from '@kedge/envoy-api';
import { type ConnectionPoolSettings, formatDuration, type TrafficPolicy } from '@kedge/model';
import { features, meshConfig } from '@kedge/pushcontext';

type Thresholds = Messages['envoy.config.cluster.v3.CircuitBreakers.Thresholds'];
type HttpProtocolOptions = Messages['envoy.config.core.v3.HttpProtocolOptions'];
type Http2ProtocolOptions = Messages['envoy.config.core.v3.Http2ProtocolOptions'];

/** Limits that nobody set are off: Envoy's own would break up calls when many endpoints go away at once. */
const UNLIMITED = 4294967295;

/** A number that counts only if it is above 0: zero means that nothing was said. */
function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined;
}

/** Connect time-out, keep-alive and circuit breakers of a cluster. */
export function connectionPool(
  read: MeshRead,
  pool: ConnectionPoolSettings,
  retryBudget?: TrafficPolicy['retryBudget'],
): Cluster {
  const mesh = meshConfig(read);
  const trackRemaining = !features(read).disableTrackRemaining;
  const { tcp, http } = pool;
  const connectTimeout = tcp?.connectTimeout ?? mesh.connectTimeout;
  const keepalive = tcpKeepalive(mesh.tcpKeepalive, tcp?.tcpKeepalive);
  const thresholds: Thresholds = {
    maxConnections: positive(tcp?.maxConnections) ?? UNLIMITED,
    maxPendingRequests: positive(http?.http1MaxPendingRequests) ?? UNLIMITED,
    maxRequests: positive(http?.http2MaxRequests) ?? UNLIMITED,
    maxRetries: positive(http?.maxRetries) ?? UNLIMITED,
    ...(retryBudget ? { retryBudget: budget(retryBudget) } : {}),
    ...(trackRemaining ? { trackRemaining } : {}),
  };
  return {
    ...(connectTimeout === undefined ? {} : { connectTimeout: formatDuration(connectTimeout) }),
    ...(keepalive ? { upstreamConnectionOptions: { tcpKeepalive: keepalive } } : {}),
    circuitBreakers: { thresholds: [thresholds] },
  };
}

function budget(settings: NonNullable<TrafficPolicy['retryBudget']>): Thresholds['retryBudget'] {
  return {
    budgetPercent: { value: settings.percent ?? 20 },
    ...(settings.budgetInterval === undefined ? {} : { budgetInterval: formatDuration(settings.budgetInterval) }),
    minRetryConcurrency: positive(settings.minRetryConcurrency) ?? 3,
  };
}

type Keepalive = NonNullable<NonNullable<ConnectionPoolSettings['tcp']>['tcpKeepalive']>;

/** The rule's settings over the mesh's, one by one. An empty one switches keep-alive on with the system's values. */
function tcpKeepalive(mesh: Keepalive | undefined, rule: Keepalive | undefined): TcpKeepalive | undefined {
  if (!mesh && !rule) return undefined;
  const probes = positive(rule?.probes) ?? positive(mesh?.probes);
  const time = rule?.time ?? mesh?.time;
  const interval = rule?.interval ?? mesh?.interval;
  return {
    ...(probes === undefined ? {} : { keepaliveProbes: probes }),
    ...(time === undefined ? {} : { keepaliveTime: Math.floor(time / 1000) }),
    ...(interval === undefined ? {} : { keepaliveInterval: Math.floor(interval / 1000) }),
  };
}

/** What a pool says of HTTP connections of whatever version; undefined where it says nothing at all. */
export function commonHttpOptions({ tcp, http }: ConnectionPoolSettings): HttpProtocolOptions | undefined {
  const idleTimeout = http?.idleTimeout ?? tcp?.idleTimeout;
  const maxConnectionDuration = tcp?.maxConnectionDuration;
  const maxRequestsPerConnection = positive(http?.maxRequestsPerConnection);
  const http2Only = positive(http?.maxConcurrentStreams) !== undefined || http?.http2KeepAlive !== undefined;
  const nothing = [idleTimeout, maxConnectionDuration, maxRequestsPerConnection].every((value) => value === undefined);
  if (nothing && !http2Only) return undefined;
  return {
    ...(idleTimeout === undefined ? {} : { idleTimeout: formatDuration(idleTimeout) }),
    ...(maxRequestsPerConnection === undefined ? {} : { maxRequestsPerConnection }),
    ...(maxConnectionDuration === undefined ? {} : { maxConnectionDuration: formatDuration(maxConnectionDuration) }),
  };
}

/** What a pool says of HTTP/2 connections. */
export function http2Options({ http }: ConnectionPoolSettings): Http2ProtocolOptions {
  const maxConcurrentStreams = positive(http?.maxConcurrentStreams);
  const keepalive = http?.http2KeepAlive;
  return {
    ...(maxConcurrentStreams === undefined ? {} : { maxConcurrentStreams }),
    ...(keepalive
      ? {
          connectionKeepalive: {
            ...(keepalive.interval === undefined ? {} : { interval: formatDuration(keepalive.interval) }),
            ...(keepalive.timeout === undefined ? {} : { timeout: formatDuration(keepalive.timeout) }),
          },
        }
      : {}),
  };
}
