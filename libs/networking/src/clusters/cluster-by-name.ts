import type { MeshRead } from '@kedge/config';
import type { Cluster } from '@kedge/envoy-api';
import { encodedQuery } from '../encoded-query.ts';
import { type Generated, guardedResource } from '../guard.ts';
import {
  BLACK_HOLE_CLUSTER,
  DYNAMIC_DNS_CLUSTER,
  EXTERNAL_SDS_CLUSTER,
  INBOUND_PASSTHROUGH_CLUSTER,
  parseInboundClusterName,
  PASSTHROUGH_CLUSTER,
} from './cluster-name.ts';
import { unknownHostsCluster } from './dynamic-dns-cluster.ts';
import { inboundCluster } from './inbound-clusters.ts';
import { outboundCluster } from './outbound-cluster.ts';
import {
  blackHoleCluster,
  externalSdsCluster,
  inboundPassthroughCluster,
  passthroughCluster,
} from './static-clusters.ts';

/** Clusters that are there whatever services the mesh has. */
const STATIC: ReadonlyMap<string, (read: MeshRead) => Cluster> = new Map([
  [BLACK_HOLE_CLUSTER, blackHoleCluster],
  [PASSTHROUGH_CLUSTER, passthroughCluster],
  [INBOUND_PASSTHROUGH_CLUSTER, inboundPassthroughCluster],
  [DYNAMIC_DNS_CLUSTER, unknownHostsCluster],
  [EXTERNAL_SDS_CLUSTER, externalSdsCluster],
]);

export const staticCluster = encodedQuery('staticCluster', (read: MeshRead, name: string): Generated | undefined => {
  const cluster = STATIC.get(name)?.(read);
  return cluster && guardedResource('envoy.config.cluster.v3.Cluster', name, cluster, []);
});

/** The cluster of a name, as it is before it is patched. */
export function clusterByName(read: MeshRead, name: string): Generated | undefined {
  if (STATIC.has(name)) return read(staticCluster, name);
  const port = parseInboundClusterName(name);
  return port === undefined ? read(outboundCluster, name) : read(inboundCluster, port);
}
