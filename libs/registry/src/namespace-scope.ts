import {
  deepEqual,
  type KubernetesSources,
  localKubernetes,
  type MeshRead,
  meshConfigSource,
  objectKey,
  SINGLE,
} from '@kedge/config';
import { query } from '@kedge/incremental';
import type { LabelSelector } from '@kedge/model';
import { selectorMatches } from './label-selector.ts';
import type { MeshQuery } from './service-registry.ts';

const discoverySelectors = query(
  'discoverySelectors',
  (read: MeshRead): readonly LabelSelector[] => read.get(meshConfigSource, SINGLE)?.discoverySelectors ?? [],
  deepEqual,
);

/** Makes the query that says whether MeshConfig's `discoverySelectors` let objects of a namespace be seen at all. */
export function namespaceScope({ sources }: KubernetesSources): MeshQuery<[namespace: string], boolean> {
  return query('isDiscoverable', (read: MeshRead, namespace: string): boolean => {
    const selectors = read(discoverySelectors);
    if (selectors.length === 0) return true;
    const found = read.get(sources.Namespace, objectKey('', namespace));
    return found !== undefined && selectors.some((selector) => selectorMatches(selector, found.labels));
  });
}

/** Whether objects of a namespace are seen at all, Istio's kinds included. */
export const isDiscoverable = namespaceScope(localKubernetes);
