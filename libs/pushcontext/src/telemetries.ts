import { istioSources, type MeshRead, objectKey } from '@kedge/config';
import { derivedFact, query } from '@kedge/incremental';
import type { ConfigOf } from '@kedge/model';
import { sameMembers } from './equality.ts';
import { discovered } from './discovered.ts';
import { keyedObjects } from './keyed-objects.ts';
import { rootNamespace } from './mesh.ts';
import { isAttached } from './policy-attachment.ts';
import { compareAge } from './precedence.ts';
import { configNamespace } from './proxy-facts.ts';

type Telemetry = ConfigOf<'Telemetry'>;

/** Objects of a namespace, the oldest first. */
const telemetriesOf = query(
  'telemetriesOf',
  (read: MeshRead, namespace: string): readonly Telemetry[] =>
    discovered(read, 'Telemetry', namespace).toSorted(compareAge),
  sameMembers,
);

const isForAll = ({ spec }: Telemetry): boolean =>
  Object.keys(spec.selector?.matchLabels ?? {}).length === 0 && spec.targetRefs.length === 0 && !spec.targetRef;

/**
 * The keys of the Telemetry objects that count for the proxy, separated by commas: the oldest for the whole mesh, the oldest
 * for its namespace, then those for the workload. What comes later says more precisely what is meant.
 * https://istio.io/latest/docs/reference/config/telemetry/
 */
export const telemetryKeys = derivedFact('telemetryKeys', (read: MeshRead): string => {
  const own = read.fact(configNamespace);
  const places = new Set([rootNamespace(read), own]);
  const forAll = [...places].flatMap((place) => read(telemetriesOf, place).find(isForAll) ?? []);
  const forWorkload = read(telemetriesOf, own).filter(
    (telemetry) => !isForAll(telemetry) && isAttached(read, telemetry),
  );
  return [...forAll, ...forWorkload].map(({ namespace, name }) => objectKey(namespace, name)).join(',');
});

/** The objects that keys stand for, in their order. */
export function telemetries(read: MeshRead, keys: string): readonly Telemetry[] {
  return keyedObjects(read, istioSources.Telemetry, keys);
}
