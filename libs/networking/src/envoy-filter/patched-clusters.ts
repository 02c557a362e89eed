import type { MeshRead } from '@kedge/config';
import type { Cluster } from '@kedge/envoy-api';
import { envoyFilterPatches, type PatchContext } from '@kedge/pushcontext';
import { encodedQuery } from '../encoded-query.ts';
import { clusterByName } from '../clusters/cluster-by-name.ts';
import { parseInboundClusterName } from '../clusters/cluster-name.ts';
import { inboundPlans } from '../clusters/inbound-plan.ts';
import { type Generated, guardedResource, type Origin } from '../guard.ts';
import { decodeResource } from '../resource.ts';
import { TYPE_URLS } from '../type-urls.ts';
import { clusterChanges, hitsCluster } from './cluster-patches.ts';
import { addsIn, keysOf, patchesOf } from './patch.ts';
import { patched } from './patched.ts';

const CLUSTER = 'envoy.config.cluster.v3.Cluster';

/** The clusters of a side, and what patches add to them. Those that no patch hits stay as all proxies have them. */
export function patchedClusters(
  read: MeshRead,
  context: PatchContext,
  clusters: readonly Generated[],
): readonly Generated[] {
  const keys = read(envoyFilterPatches, 'clusters', context);
  if (keys === '') return clusters;
  const patches = patchesOf(read, keys, 'CLUSTER');
  const inbound = context === 'SIDECAR_INBOUND' ? read(inboundPlans) : [];
  const hostsOf = (name: string): readonly string[] => {
    const plan = inbound.find(({ port }) => port === parseInboundClusterName(name));
    return (plan?.targets ?? []).map(({ service }) => service.hostname);
  };
  const changed = clusters.map((made) => {
    if (!made.value) return made;
    const { name } = made.value;
    const hits = keysOf(patches.filter((patch) => hitsCluster(patch, { name, hosts: hostsOf(name) })));
    return hits === '' ? made : read(patchedCluster, name, hits);
  });
  const added = patches.filter((patch) => addsIn(patch, context)).map(({ key }) => read(addedCluster, key));
  return [...changed, ...added];
}

/** A cluster that patches hit, by their keys: it is taken apart, changed as a message, and checked anew. */
const patchedCluster = encodedQuery('patchedCluster', (read: MeshRead, name: string, keys: string): Generated => {
  const made = clusterByName(read, name) ?? { diagnostics: [] };
  if (!made.value) return made;
  return patched(
    made,
    decodeResource(CLUSTER, made.value),
    clusterChanges(patchesOf(read, keys, 'CLUSTER')),
    guardedCluster,
  );
});

/** A cluster that a patch adds, by the patch's key. */
const addedCluster = encodedQuery('addedCluster', (read: MeshRead, key: string): Generated => {
  const [patch] = patchesOf(read, key, 'CLUSTER');
  return patch ? guardedCluster(patch.value, [patch.origin]) : { diagnostics: [] };
});

function guardedCluster(cluster: Cluster, from: readonly Origin[]): Generated {
  const { name = '', type, edsClusterConfig } = cluster;
  const requires = type === 'EDS' ? [{ typeUrl: TYPE_URLS.EDS, names: [edsClusterConfig?.serviceName || name] }] : [];
  return guardedResource(CLUSTER, name, cluster, from, requires);
}
