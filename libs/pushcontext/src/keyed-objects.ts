import type { MeshRead } from '@kedge/config';
import type { Source } from '@kedge/incremental';

/** The objects that keys stand for, in their order. @param keys separated by commas, none where it is empty */
export function keyedObjects<O>(read: MeshRead, source: Source<O>, keys: string): readonly O[] {
  // Nothing must be asked for by an empty key: a read that finds nothing is remembered like any other.
  if (keys === '') return [];
  return keys
    .split(',')
    .map((key) => read.get(source, key))
    .filter((object) => object !== undefined);
}
