import type { MeshRead } from '@kedge/config';
import type { Messages } from '@kedge/envoy-api';
import { formatDuration, parseDuration } from '@kedge/model';
import { metadataText } from '@kedge/pushcontext';
import { accessLogs } from './access-log.ts';
import type { ListenerClass } from './listener-class.ts';
import { filter, type NetworkFilter } from './network-filter.ts';

export type TcpProxy = Messages['envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy'];

/** How long a connection of the proxy may be idle, where the proxy states it. */
export function statedIdleTimeout(read: MeshRead): string | undefined {
  const stated = parseDuration(String(read.fact(metadataText, 'idleTimeout') ?? ''));
  return stated === undefined ? undefined : formatDuration(stated);
}

/** Passes connections on. What the settings leave out, the proxy's own idle timeout and the mesh's logs fill in. */
export function tcpProxy(read: MeshRead, listenerClass: ListenerClass, settings: TcpProxy): NetworkFilter {
  const idleTimeout = settings.idleTimeout ?? statedIdleTimeout(read);
  const accessLog = accessLogs(read, listenerClass, 'tcp');
  return plainTcpProxy({
    ...settings,
    ...(idleTimeout === undefined ? {} : { idleTimeout }),
    ...(accessLog.length > 0 ? { accessLog } : {}),
  });
}

/** The filter with exactly these settings. */
function plainTcpProxy(settings: TcpProxy): NetworkFilter {
  return filter('envoy.filters.network.tcp_proxy', 'envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy', settings);
}

/** Drops connections: the cluster has no members. */
export const blackHole: NetworkFilter = plainTcpProxy({ statPrefix: 'BlackHoleCluster', cluster: 'BlackHoleCluster' });
