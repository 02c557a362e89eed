import { isIPv6 } from 'node:net';
import type { MeshRead } from '@kedge/config';
import { formatDuration, type Hostname } from '@kedge/model';
import { destinationRule, type MergedDestinationRule } from '@kedge/pushcontext';
import type { TcpProxy } from '../filters/tcp-proxy.ts';

/** A service, or a subset of it, as far as its DestinationRule says something of connections to it. */
export interface RulePlace {
  readonly host: Hostname;
  readonly namespace: string;
  readonly subset: string;
}

export type TcpSettings = Pick<
  TcpProxy,
  'idleTimeout' | 'maxDownstreamConnectionDuration' | 'hashPolicy' | 'tunnelingConfig'
>;

/** What the DestinationRule of a target says of the connections to it; undefined where it says nothing. */
export function ruleSettings(read: MeshRead, { host, namespace, subset }: RulePlace): TcpSettings | undefined {
  const rule = read(destinationRule, host, namespace);
  if (!rule) return undefined;
  const { idleTimeout, maxConnectionDuration } = rule.trafficPolicy?.connectionPool?.tcp ?? {};
  const settings: TcpSettings = {
    ...(idleTimeout === undefined ? {} : { idleTimeout: formatDuration(idleTimeout) }),
    ...(maxConnectionDuration === undefined
      ? {}
      : { maxDownstreamConnectionDuration: formatDuration(maxConnectionDuration) }),
    ...(hashesSource(rule, subset) ? { hashPolicy: [{ sourceIp: {} }] } : {}),
    ...tunnel(rule, subset),
  };
  return Object.keys(settings).length > 0 ? settings : undefined;
}

/** Whether the endpoint is chosen by the client's address: as the subset says, else the rule. */
function hashesSource({ trafficPolicy, subsets }: MergedDestinationRule, subsetName: string): boolean {
  const subset = subsets.find(({ name }) => name === subsetName);
  const balancer = subset?.trafficPolicy?.loadBalancer ?? trafficPolicy?.loadBalancer;
  return balancer?.consistentHash?.useSourceIp === true;
}

/** Connections that a proxy beyond carries on. What a rule says for all does not hold for its subsets. */
function tunnel(rule: MergedDestinationRule, subsetName: string): TcpSettings {
  const policy = subsetName ? rule.subsets.find(({ name }) => name === subsetName)?.trafficPolicy : rule.trafficPolicy;
  if (!policy?.tunnel) return {};
  const { protocol, targetHost = '', targetPort = 0 } = policy.tunnel;
  const host = isIPv6(targetHost) ? `[${targetHost}]` : targetHost;
  return { tunnelingConfig: { hostname: `${host}:${targetPort}`, ...(protocol === 'POST' ? { usePost: true } : {}) } };
}
