import type { Metadata } from '@kedge/envoy-api';
import { type ConfigKind, kinds, type ObjectRef } from '@kedge/model';

/** The path of an object in the Kubernetes API, under which tools look for what made a part of Envoy's configuration. */
export function configMetadata({ kind, namespace, name }: ObjectRef): Metadata {
  const { group } = kinds[kind as ConfigKind];
  const path = kind.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
  return { filterMetadata: { istio: { config: `/apis/${group}/v1/namespaces/${namespace}/${path}/${name}` } } };
}
