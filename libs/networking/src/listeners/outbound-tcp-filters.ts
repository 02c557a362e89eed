import type { MeshRead } from '@kedge/config';
import { dynamicHostCache } from '../filters/http-filters.ts';
import { filter, type NetworkFilter } from '../filters/network-filter.ts';
import { statsFilters } from '../filters/stats.ts';
import { blackHole, tcpProxy } from '../filters/tcp-proxy.ts';
import { terminalFilters } from '../filters/terminal-filters.ts';
import type { ListenerClass } from '../filters/listener-class.ts';
import type { TcpTarget } from './listener-plan.ts';

/** The filters of a chain that passes connections on to services. */
export function tcpTargetFilters(
  read: MeshRead,
  target: TcpTarget,
  listenerClass: ListenerClass = 'outbound',
): readonly NetworkFilter[] {
  const { protocol, statPrefix, targets, dynamic } = target;
  const [first] = targets;
  // Connections without anywhere to go are closed.
  if (!first) return [blackHole];
  const settings = {
    statPrefix,
    ...(target.weighted
      ? { weightedClusters: { clusters: targets.map(({ cluster, weight }) => ({ name: cluster, weight })) } }
      : { cluster: first.cluster }),
    ...target.settings,
  };
  const tcp = tcpProxy(read, listenerClass, settings);
  return [
    ...statsFilters(read, listenerClass, 'tcp'),
    ...(dynamic && listenerClass === 'outbound' ? [forwardBySni(read, dynamic)] : []),
    ...terminalFilters(read, protocol, { statPrefix, cluster: first.cluster, tcp }),
  ];
}

/** Resolves the name that the client asks for in TLS. */
function forwardBySni(read: MeshRead, { host, port }: NonNullable<TcpTarget['dynamic']>): NetworkFilter {
  return filter(
    'envoy.extensions.filters.network.sni_dynamic_forward_proxy',
    'envoy.extensions.filters.network.sni_dynamic_forward_proxy.v3.FilterConfig',
    { dnsCacheConfig: dynamicHostCache(read, host), portValue: port },
  );
}
