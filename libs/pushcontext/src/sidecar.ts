import type { MeshRead } from '@kedge/config';
import { derivedFact, query } from '@kedge/incremental';
import type { ConfigOf } from '@kedge/model';
import { discovered } from './discovered.ts';
import { sameMembers } from './equality.ts';
import { rootNamespace } from './mesh.ts';
import { compareAge } from './precedence.ts';
import { configNamespace, nodeType } from './proxy-facts.ts';
import { proxyMatches } from './proxy-workload.ts';

/** Sidecars of a namespace in the order in which they are tried: with selector first, then by age. */
const sidecarsOf = query(
  'sidecarsOf',
  (read: MeshRead, namespace: string) =>
    discovered(read, 'Sidecar', namespace).toSorted(
      (a, b) => Number(!a.spec.workloadSelector) - Number(!b.spec.workloadSelector) || compareAge(a, b),
    ),
  sameMembers,
);

/** The Sidecar that counts for the proxy: its namespace's, else the root namespace's; none for gateways and waypoints. */
export const sidecarOf = derivedFact('sidecarOf', (read: MeshRead): ConfigOf<'Sidecar'> | undefined => {
  if (read.fact(nodeType) !== 'sidecar') return undefined;
  const own = read(sidecarsOf, read.fact(configNamespace)).find(
    ({ spec }) => !spec.workloadSelector || proxyMatches(read, spec.workloadSelector.labels),
  );
  return own ?? read(sidecarsOf, rootNamespace(read)).find(({ spec }) => !spec.workloadSelector);
});
