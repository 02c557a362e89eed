import type { SnapshotEdit } from '@kedge/incremental';
import type { ConfigChange } from './config-source.ts';
import { setObject } from './set-object.ts';

/** Writes changes of a config source into the next snapshot. */
export function applyChanges(edit: SnapshotEdit, changes: readonly Pick<ConfigChange, 'key' | 'new'>[]): SnapshotEdit {
  for (const { key, new: object } of changes) setObject(edit, key, object);
  return edit;
}
