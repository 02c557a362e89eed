import type { Values } from '@kedge/helm';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** The Helms that HELM_BIN names; none where it isn't set. */
export const helms: readonly string[] = (process.env.HELM_BIN ?? '').split(delimiter).filter(Boolean);

/** The same for tests that are nothing without one. */
export function requiredHelms(): readonly string[] {
  if (helms.length === 0) throw new Error('HELM_BIN is not set');
  return helms;
}

/** A folder for files, and for what Helm keeps: nothing of the user's own Helm is read or written. */
export class HelmScratch implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'helm-'));

  run(helm: string, args: readonly string[]) {
    const names = ['HOME', 'HELM_CACHE_HOME', 'HELM_CONFIG_HOME', 'HELM_DATA_HOME'];
    const env = Object.fromEntries(names.map((name) => [name, this.folder]));
    const { status, stdout, stderr } = spawnSync(helm, args, { env, encoding: 'utf8', maxBuffer: 1e8 });
    return { status, stdout, stderr };
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true });
  }
}

/** By apiVersion, kind, namespace and name: Helm has an order of its own. */
export const byName = (objects: readonly Values[]): ReadonlyMap<string, Values> =>
  new Map(
    objects
      .map((object): [string, Values] => {
        const { namespace = '', name } = object.metadata as Readonly<Record<string, string>>;
        return [`${String(object.apiVersion)} ${String(object.kind)} ${namespace}/${name}`, object];
      })
      .sort(([left], [right]) => (left < right ? -1 : 1)),
  );
