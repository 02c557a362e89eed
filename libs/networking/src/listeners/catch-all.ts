import { type MeshRead } from '@kedge/config';
import { derivedFact } from '@kedge/incremental';
import { outboundTrafficPolicy } from '@kedge/pushcontext';
import { BLACK_HOLE_CLUSTER, outboundClusterName, PASSTHROUGH_CLUSTER } from '../clusters/cluster-name.ts';
import type { NetworkFilter } from '../filters/network-filter.ts';
import { statsFilters } from '../filters/stats.ts';
import { tcpProxy } from '../filters/tcp-proxy.ts';

/** Where the proxy's workload may go outside the mesh: nowhere, anywhere, or anywhere by the names in its requests. */
export const outboundMode = derivedFact('outboundMode', (read: MeshRead): string => {
  return read(outboundTrafficPolicy)?.mode ?? 'REGISTRY_ONLY';
});

/** The cluster for connections to destinations that the mesh doesn't know. */
const catchAllCluster = derivedFact('catchAllCluster', (read: MeshRead): string => {
  const mode = read(outboundMode);
  if (mode !== 'ALLOW_ANY' && mode !== 'ALLOW_ANY_DYNAMIC_DNS') return BLACK_HOLE_CLUSTER;
  const { host, port, subset } = read(outboundTrafficPolicy)?.egressProxy ?? {};
  return host ? outboundClusterName(host, port?.number ?? 0, subset) : PASSTHROUGH_CLUSTER;
});

/** The filters for connections that no service claims. */
export function catchAllFilters(read: MeshRead): readonly NetworkFilter[] {
  const cluster = read(catchAllCluster);
  return [...statsFilters(read, 'outbound', 'tcp'), tcpProxy(read, 'outbound', { statPrefix: cluster, cluster })];
}
