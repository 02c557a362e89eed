import type { MeshRead } from '@kedge/config';
import { type ConnectionSettings, formatDuration } from '@kedge/model';
import { meshConfig, nodeType, proxyConfig } from '@kedge/pushcontext';
import type { HttpConnectionManager } from './http-connection-manager.ts';

/**
 * What the profile EDGE means where the settings themselves say nothing.
 * https://www.envoyproxy.io/docs/envoy/latest/configuration/best_practices/edge
 */
const EDGE: ConnectionSettings = {
  listenerPerConnectionBufferLimitBytes: 32 * 1024,
  httpIdleTimeout: 3_600_000,
  httpStreamIdleTimeout: 300_000,
  httpRequestTimeout: 300_000,
  httpRequestHeadersTimeout: 60_000,
  httpMaxConcurrentStreams: 100,
  http2InitialStreamWindowSize: 64 * 1024,
  http2InitialConnectionWindowSize: 1024 * 1024,
  httpHeadersWithUnderscoresAction: 'HEADERS_WITH_UNDERSCORES_REJECT_REQUEST',
  httpMergeSlashes: true,
  httpPathWithEscapedSlashesAction: 'UNESCAPE_AND_REDIRECT',
};

const UNSPECIFIED: ReadonlySet<unknown> = new Set([
  'HEADERS_WITH_UNDERSCORES_UNSPECIFIED',
  'PATH_WITH_ESCAPED_SLASHES_UNSPECIFIED',
]);

/** The settings for connections: the proxy's own, else the mesh's. A profile counts for gateways only. */
export function connectionSettings(read: MeshRead): ConnectionSettings | undefined {
  const settings = proxyConfig(read, 'connectionSettings') ?? meshConfig(read).defaultConfig?.connectionSettings;
  if (settings?.profile !== 'EDGE' || read.fact(nodeType) !== 'router') return settings;
  const stated = Object.entries(settings).filter(([, value]) => value !== undefined && !UNSPECIFIED.has(value));
  return { ...EDGE, ...Object.fromEntries(stated) };
}

const duration = (milliseconds: number | undefined): string | undefined =>
  milliseconds === undefined ? undefined : formatDuration(milliseconds);

const count = (value: number | undefined): number | undefined => (value === undefined || value < 0 ? undefined : value);

const UNDERSCORES: Readonly<Record<string, 'REJECT_REQUEST' | 'DROP_HEADER' | 'ALLOW'>> = {
  HEADERS_WITH_UNDERSCORES_ALLOW: 'ALLOW',
  HEADERS_WITH_UNDERSCORES_REJECT_REQUEST: 'REJECT_REQUEST',
  HEADERS_WITH_UNDERSCORES_DROP_HEADER: 'DROP_HEADER',
};

/** The members that are set; undefined where none is. */
function given<T extends object>(members: T): T | undefined {
  const set = Object.entries(members).filter(([, value]) => value !== undefined);
  return set.length > 0 ? (Object.fromEntries(set) as T) : undefined;
}

/** A connection manager with the settings laid over what it has. */
export function withConnectionSettings(
  manager: HttpConnectionManager,
  settings: ConnectionSettings | undefined,
): HttpConnectionManager {
  if (!settings) return manager;
  const escapedSlashes = settings.httpPathWithEscapedSlashesAction;
  const common = given({
    idleTimeout: duration(settings.httpIdleTimeout),
    maxConnectionDuration: duration(settings.httpMaxConnectionDuration),
    maxStreamDuration: duration(settings.httpMaxStreamDuration),
    headersWithUnderscoresAction: UNDERSCORES[settings.httpHeadersWithUnderscoresAction ?? ''],
  });
  const http2 = given({
    maxConcurrentStreams: count(settings.httpMaxConcurrentStreams),
    initialStreamWindowSize: count(settings.http2InitialStreamWindowSize),
    initialConnectionWindowSize: count(settings.http2InitialConnectionWindowSize),
  });
  return {
    ...manager,
    ...given({
      streamIdleTimeout: duration(settings.httpStreamIdleTimeout),
      requestTimeout: duration(settings.httpRequestTimeout),
      requestHeadersTimeout: duration(settings.httpRequestHeadersTimeout),
      drainTimeout: duration(settings.httpDrainTimeout),
      mergeSlashes: settings.httpMergeSlashes,
    }),
    ...(common ? { commonHttpProtocolOptions: { ...manager.commonHttpProtocolOptions, ...common } } : {}),
    ...(http2 ? { http2ProtocolOptions: { ...manager.http2ProtocolOptions, ...http2 } } : {}),
    ...(escapedSlashes && escapedSlashes !== 'PATH_WITH_ESCAPED_SLASHES_UNSPECIFIED'
      ? { pathWithEscapedSlashesAction: escapedSlashes }
      : {}),
  };
}
