import { isIPv6 } from 'node:net';
import type { MeshRead } from '@kedge/config';
import { formatDuration } from '@kedge/model';
import { destinationRule, features, type MergedDestinationRule } from '@kedge/pushcontext';
import { dynamicHostCache } from '../filters/http-filters.ts';
import { filter, type NetworkFilter } from '../filters/network-filter.ts';
import { statsFilters } from '../filters/stats.ts';
import { type TcpProxy, tcpProxy } from '../filters/tcp-proxy.ts';
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
  if (!first) return [];
  const settings = {
    statPrefix,
    ...(targets.length === 1
      ? { cluster: first.cluster }
      : { weightedClusters: { clusters: targets.map(({ cluster, weight }) => ({ name: cluster, weight })) } }),
    ...ruleSettings(read, target),
  };
  const tcp = tcpProxy(read, listenerClass, settings);
  return [
    ...statsFilters(read, listenerClass, 'tcp'),
    ...(dynamic && listenerClass === 'outbound' ? [forwardBySni(read, dynamic)] : []),
    ...terminalFilters(features(read), protocol, { statPrefix, cluster: first.cluster, tcp }),
  ];
}

/** What the DestinationRule of a target says of the connections to it. */
function ruleSettings(read: MeshRead, { rule: place, skipsTunnel }: TcpTarget): TcpProxy {
  if (!place) return {};
  const rule = read.by(destinationRule, place.host, place.namespace);
  const { idleTimeout, maxConnectionDuration } = rule?.trafficPolicy?.connectionPool?.tcp ?? {};
  return {
    ...(idleTimeout === undefined ? {} : { idleTimeout: formatDuration(idleTimeout) }),
    ...(maxConnectionDuration === undefined
      ? {}
      : { maxDownstreamConnectionDuration: formatDuration(maxConnectionDuration) }),
    ...(rule && hashesSource(rule, place.subset) ? { hashPolicy: [{ sourceIp: {} }] } : {}),
    ...(skipsTunnel ? {} : tunnel(rule, place.subset)),
  };
}

/** Whether the endpoint is chosen by the client's address: as the subset says, else the rule. */
function hashesSource({ trafficPolicy, subsets }: MergedDestinationRule, subsetName: string): boolean {
  const subset = subsets.find(({ name }) => name === subsetName);
  const balancer = subset?.trafficPolicy?.loadBalancer ?? trafficPolicy?.loadBalancer;
  return balancer?.consistentHash?.useSourceIp === true;
}

/** Connections that a proxy beyond carries on. What a rule says for all does not hold for its subsets. */
function tunnel(rule: MergedDestinationRule | undefined, subsetName: string): TcpProxy {
  const policy = subsetName
    ? rule?.subsets.find(({ name }) => name === subsetName)?.trafficPolicy
    : rule?.trafficPolicy;
  if (!policy?.tunnel) return {};
  const { protocol, targetHost = '', targetPort = 0 } = policy.tunnel;
  const host = isIPv6(targetHost) ? `[${targetHost}]` : targetHost;
  return { tunnelingConfig: { hostname: `${host}:${targetPort}`, ...(protocol === 'POST' ? { usePost: true } : {}) } };
}

/** Resolves the name that the client asks for in TLS. */
function forwardBySni(read: MeshRead, { host, port }: NonNullable<TcpTarget['dynamic']>): NetworkFilter {
  return filter(
    'envoy.extensions.filters.network.sni_dynamic_forward_proxy',
    'envoy.extensions.filters.network.sni_dynamic_forward_proxy.v3.FilterConfig',
    { dnsCacheConfig: dynamicHostCache(read, host), portValue: port },
  );
}
