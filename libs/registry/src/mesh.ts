import {
  deepEqual,
  environmentSource,
  featuresSource,
  localKubernetes,
  type MeshRead,
  meshConfigSource,
  objectKey,
  SINGLE,
} from '@kedge/config';
import { query } from '@kedge/incremental';
import { type Features, parseFeatures } from '@kedge/model';

/* What registries ask of the mesh as a whole, one query each, so that a change elsewhere in it touches nothing here. */

const DEFAULT_FEATURES = parseFeatures().features;

export const trustDomain = query(
  'trustDomain',
  (read: MeshRead) => read.get(meshConfigSource, SINGLE)?.trustDomain || 'cluster.local',
);

export const domainSuffix = query(
  'domainSuffix',
  (read: MeshRead) => read.get(environmentSource, SINGLE)?.domainSuffix || 'cluster.local',
);

export const systemNamespace = query(
  'systemNamespace',
  (read: MeshRead) => read.get(environmentSource, SINGLE)?.systemNamespace || 'istio-system',
);

/** `exportTo` of services that say nothing. */
export const defaultServiceExportTo = query(
  'defaultServiceExportTo',
  (read: MeshRead) => read.get(meshConfigSource, SINGLE)?.defaultServiceExportTo ?? [],
  deepEqual,
);

const featureValue = query(
  'feature',
  (read: MeshRead, name: string) => (read.get(featuresSource, SINGLE) ?? DEFAULT_FEATURES)[name as keyof Features],
);

/** One feature switch. */
export const feature = <K extends keyof Features>(read: MeshRead, name: K): Features[K] =>
  read(featureValue, name) as Features[K];

/** Annotations of a namespace of the control plane's own cluster. */
export const namespaceAnnotations = query(
  'namespaceAnnotations',
  (read: MeshRead, namespace: string) =>
    read.get(localKubernetes.sources.Namespace, objectKey('', namespace))?.annotations ?? {},
  deepEqual,
);

/** Labels of a namespace of the control plane's own cluster. */
export const namespaceLabels = query(
  'namespaceLabels',
  (read: MeshRead, namespace: string) =>
    read.get(localKubernetes.sources.Namespace, objectKey('', namespace))?.labels ?? {},
  deepEqual,
);
