import type { SnapshotEdit, Source } from '@kedge/incremental';
import type { Config } from '@kedge/model';
import { configSources, objectKey } from './sources.ts';

const sources = configSources as unknown as Readonly<Record<string, Source<Config>>>;

/** Writes an object into an edit, or takes it away. Kinds that are no input are passed over. */
export function setObject(
  edit: SnapshotEdit,
  key: Pick<Config, 'kind' | 'namespace' | 'name'>,
  object: Config | undefined,
): void {
  const source = sources[key.kind];
  if (source) edit.set(source, objectKey(key.namespace, key.name), object);
}
