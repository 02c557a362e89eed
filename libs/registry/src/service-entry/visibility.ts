import { deepEqual, type MeshRead, meshConfigSource, SINGLE } from '@kedge/config';
import { query } from '@kedge/incremental';
import type { MeshConfig, Visibility, VisibilityScope } from '@kedge/model';
import { selectorMatches } from '../label-selector.ts';
import { namespaceLabels } from '../mesh.ts';

const policy = query(
  'serviceEntryVisibility',
  (read: MeshRead): MeshConfig['serviceEntryVisibility'] => read.get(meshConfigSource, SINGLE)?.serviceEntryVisibility,
  deepEqual,
);

/** The widest visibility that MeshConfig's `serviceEntryVisibility` leaves to entries of a namespace. */
const widest = query('widestVisibility', (read: MeshRead, namespace: string): VisibilityScope => {
  const { applyToSidecars, policies = [], defaultVisibility = 'PUBLIC' } = read(policy) ?? {};
  if (!applyToSidecars) return 'PUBLIC';
  const labels = read(namespaceLabels, namespace);
  const matching = policies.find(({ matchingRules }) =>
    matchingRules.every(({ namespaceSelector }) => namespaceSelector && selectorMatches(namespaceSelector, labels)),
  );
  return matching ? (matching.visibility ?? 'PUBLIC') : defaultVisibility;
});

/** Narrows what an entry says of its visibility to what the mesh allows its namespace. */
export function withinPolicy(read: MeshRead, stated: Visibility, namespace: string): Visibility {
  switch (read(widest, namespace)) {
    case 'NONE':
      return [];
    case 'NAMESPACE':
      return stated === '*' || stated.includes(namespace) ? [namespace] : [];
    case 'PUBLIC':
    case 'VISIBILITY_UNSPECIFIED':
      return stated;
  }
}
