import { isIP } from 'node:net';
import type { Cluster, FurtherRules } from '@kedge/envoy-api';
import { isPrime } from '@kedge/model';
import type { Finding } from '../guard.ts';
import { finding, repeated } from './finding.ts';

type LoadAssignment = NonNullable<Cluster['loadAssignment']>;

const MAX_TOTAL_WEIGHT = 0xffff_ffff;
const HEX = /^(?:[0-9a-f]{2})*$/i;
const STATUS = { lowest: 100, end: 600 } as const;

export const clusterRules: FurtherRules = {
  'envoy.config.cluster.v3.Cluster': (cluster) => [
    ...(cluster.clusterType ? [] : discovery(cluster)),
    ...repeated(cluster, 'transportSocketMatches', ({ name = '' }) => name),
  ],
  'envoy.config.cluster.v3.Cluster.MaglevLbConfig': ({ tableSize }) =>
    // Envoy admits 1, and dies of it.
    finding(
      tableSize !== undefined && (tableSize === '1' || !isPrime(Number(tableSize))),
      'tableSize',
      'must be a prime',
    ),
  'envoy.config.cluster.v3.Cluster.RingHashLbConfig': ({ minimumRingSize = '1024', maximumRingSize = '8388608' }) =>
    finding(BigInt(minimumRingSize) > BigInt(maximumRingSize), 'minimumRingSize', `is more than ${maximumRingSize}`),
  'envoy.config.core.v3.BindConfig': ({ sourceAddress }) =>
    finding(
      sourceAddress !== undefined && !isIP(sourceAddress.address ?? ''),
      'sourceAddress',
      'must be an IP address',
    ),
  'envoy.config.endpoint.v3.ClusterLoadAssignment': (assignment) => weights(assignment),
  'envoy.config.core.v3.HealthCheck.Payload': ({ text = '' }) =>
    finding(!HEX.test(text), 'text', 'must be hexadecimal digits'),
  'envoy.config.core.v3.HealthCheck.HttpHealthCheck': ({ expectedStatuses = [] }) =>
    finding(
      expectedStatuses.some(({ start = '0', end = '0' }) => {
        const [from, to] = [Number(start), Number(end)];
        return from < STATUS.lowest || to > STATUS.end || from >= to;
      }),
      'expectedStatuses',
      'must be ranges of statuses',
    ),
};

/** How a cluster finds its endpoints, and chooses among them. */
function discovery({ type = 'STATIC', lbPolicy, edsClusterConfig, loadAssignment }: Cluster): readonly Finding[] {
  const isOriginal = type === 'ORIGINAL_DST';
  const endpoints = (loadAssignment?.endpoints ?? []).flatMap(({ lbEndpoints = [] }) => lbEndpoints);
  const isNamed = endpoints.some(({ endpoint }) => {
    const address = endpoint?.address?.socketAddress;
    return address !== undefined && !isIP(address.address ?? '');
  });
  return [
    ...finding((lbPolicy === 'CLUSTER_PROVIDED') !== isOriginal, 'lbPolicy', `is nothing for ${type}`),
    ...finding(type === 'EDS' && !edsClusterConfig?.edsConfig, 'edsClusterConfig', 'must be set'),
    ...finding(type !== 'EDS' && edsClusterConfig !== undefined, 'edsClusterConfig', `is nothing for ${type}`),
    ...finding(isOriginal && loadAssignment !== undefined, 'loadAssignment', `is nothing for ${type}`),
    ...finding(type === 'LOGICAL_DNS' && endpoints.length !== 1, 'loadAssignment', 'must have one endpoint'),
    ...finding(type === 'STATIC' && isNamed, 'loadAssignment', 'names are resolved by clusters of DNS only'),
  ];
}

/** Endpoints of a locality, and localities of a priority, are weighed in 32 bits. */
function weights({ endpoints = [] }: LoadAssignment): readonly Finding[] {
  const isTooMuch = (items: readonly { readonly loadBalancingWeight?: number }[]): boolean =>
    items.reduce((sum, { loadBalancingWeight = 0 }) => sum + loadBalancingWeight, 0) > MAX_TOTAL_WEIGHT;
  const localities = Map.groupBy(endpoints, ({ priority = 0 }) => priority);
  return finding(
    endpoints.some(({ lbEndpoints = [] }) => isTooMuch(lbEndpoints)) || [...localities.values()].some(isTooMuch),
    'endpoints',
    'the weights are too large together',
  );
}
