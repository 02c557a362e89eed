import { type Cluster, merge } from '@kedge/envoy-api';
import { parseInboundClusterName, parseOutboundClusterName } from '../clusters/cluster-name.ts';
import { mergedSocket } from './merged-any.ts';
import { listsOf, merges, type Patch } from './patch.ts';
import type { Change } from './patched.ts';

const CLUSTER = 'envoy.config.cluster.v3.Cluster';

/** What a patch can know a cluster by. */
export interface ClusterPlace {
  readonly name: string;
  /** The hosts that an inbound cluster serves, for its name says none; empty for others. */
  readonly hosts: readonly string[];
}

/** Whether a patch changes or removes a cluster. */
export function hitsCluster(patch: Patch<'CLUSTER'>, { name, hosts }: ClusterPlace): boolean {
  if (!merges(patch) && patch.operation !== 'REMOVE') return false;
  const { cluster } = patch.match;
  if (!cluster) return true;
  if (cluster.name) return cluster.name === name;
  const target = parseOutboundClusterName(name);
  return (
    (!cluster.subset || cluster.subset === target?.subset) &&
    (!cluster.service || cluster.service === target?.host || hosts.includes(cluster.service)) &&
    (!cluster.portNumber || cluster.portNumber === (target?.port ?? parseInboundClusterName(name)))
  );
}

export function clusterChanges(patches: readonly Patch<'CLUSTER'>[]): readonly Change<Cluster>[] {
  return patches.map((patch) => ({
    patch,
    of: (cluster) => (patch.operation === 'REMOVE' ? undefined : mergedCluster(cluster, patch)),
  }));
}

/** A patch that brings a transport socket is about that alone. */
function mergedCluster(cluster: Cluster, patch: Patch<'CLUSTER'>): Cluster {
  const socket = patch.value.transportSocket;
  if (!socket) return merge(CLUSTER, cluster, patch.value, listsOf(patch));
  const { transportSocketMatches = [], transportSocket } = cluster;
  if (transportSocketMatches.length === 0)
    return { ...cluster, transportSocket: mergedSocket(transportSocket, socket) };
  // Sockets chosen by endpoint leave no room for one that is for all, so only one of the same name can be meant.
  const at = transportSocketMatches.findIndex((one) => one.transportSocket && one.transportSocket.name === socket.name);
  const chosen = transportSocketMatches[at];
  if (!chosen) return cluster;
  const changed = { ...chosen, transportSocket: mergedSocket(chosen.transportSocket, socket) };
  return { ...cluster, transportSocketMatches: transportSocketMatches.with(at, changed) };
}
