import type { MeshRead } from '@kedge/config';
import { type ConnectionSettings, formatDuration } from '@kedge/model';
import { meshConfig, proxyConfig } from '@kedge/pushcontext';
import type { HttpConnectionManager } from './http-connection-manager.ts';

/** The settings for connections: the proxy's own, else the mesh's. */
export function connectionSettings(read: MeshRead): ConnectionSettings | undefined {
  return proxyConfig(read, 'connectionSettings') ?? meshConfig(read).defaultConfig?.connectionSettings;
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
