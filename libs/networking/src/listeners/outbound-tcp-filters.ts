import { isIPv6 } from 'node:net';
import type { MeshRead } from '@kedge/config';
import { derivedFact } from '@kedge/incremental';
import { formatDuration } from '@kedge/model';
import { destinationRule, features, type MergedDestinationRule } from '@kedge/pushcontext';
import { dynamicHostCache } from '../filters/http-filters.ts';
import { filter, type NetworkFilter } from '../filters/network-filter.ts';
import { statsFilters } from '../filters/stats.ts';
import { blackHole, type TcpProxy, tcpProxy } from '../filters/tcp-proxy.ts';
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
function ruleSettings(read: MeshRead, { rule, skipsTunnel = false }: TcpTarget): TcpProxy {
  if (!rule) return {};
  const { tunnelingConfig, ...settings } = JSON.parse(
    read(settingsOfRule, rule.host, rule.namespace, rule.subset),
  ) as TcpProxy;
  return tunnelingConfig && !skipsTunnel ? { ...settings, tunnelingConfig } : settings;
}

/** As JSON, so that proxies share what they are made of whichever rule they have it from. */
const settingsOfRule = derivedFact(
  'tcpSettingsOfRule',
  (read: MeshRead, host: string, namespace: string, subset: string): string => {
    const rule = read(destinationRule, host, namespace);
    const { idleTimeout, maxConnectionDuration } = rule?.trafficPolicy?.connectionPool?.tcp ?? {};
    const settings: TcpProxy = {
      ...(idleTimeout === undefined ? {} : { idleTimeout: formatDuration(idleTimeout) }),
      ...(maxConnectionDuration === undefined
        ? {}
        : { maxDownstreamConnectionDuration: formatDuration(maxConnectionDuration) }),
      ...(rule && hashesSource(rule, subset) ? { hashPolicy: [{ sourceIp: {} }] } : {}),
      ...tunnel(rule, subset),
    };
    return JSON.stringify(settings);
  },
);

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
