import {
  environmentSource,
  featuresSource,
  type MeshRead,
  meshConfigSource,
  meshNetworksSource,
  SINGLE,
} from '@kedge/config';
import type { Features, MeshConfig, MeshNetworks } from '@kedge/model';

/* What holds for the mesh as a whole. A snapshot without these is not usable: the control plane sets them before the first
   push. */

function required<V>(value: V | undefined, what: string): V {
  if (value === undefined) throw new Error(`the snapshot has no ${what}`);
  return value;
}

export const meshConfig = (read: MeshRead): MeshConfig =>
  required(read.get(meshConfigSource, SINGLE), 'mesh configuration');

export const features = (read: MeshRead): Features => required(read.get(featuresSource, SINGLE), 'feature switches');

export const meshNetworks = (read: MeshRead): MeshNetworks | undefined => read.get(meshNetworksSource, SINGLE);

/** The DNS suffix of the cluster's services, such as `cluster.local`. */
export const domainSuffix = (read: MeshRead): string =>
  required(read.get(environmentSource, SINGLE), 'environment').domainSuffix;

export const rootNamespace = (read: MeshRead): string => meshConfig(read).rootNamespace || 'istio-system';
