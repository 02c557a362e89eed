import { type Config, type Diagnostic } from '@kedge/model';
import type { ConfigChange } from '../config-source.ts';
import { keyOf } from '../memory-source.ts';
import type { FileContent } from './manifest-file.ts';

const NOTHING: FileContent = { objects: new Map(), diagnostics: [] };

/**
 * The objects of all files together. Where several files define an object, the first by path counts, whatever the order
 * in which they were read; an object that moves to another file stays.
 */
export class FileObjects {
  readonly #files = new Map<string, FileContent>();
  /** The files that define a key, sorted by path. */
  readonly #definers = new Map<string, readonly string[]>();
  /** Files with findings, and keys that several files define: few, so that telling them costs nothing. */
  readonly #faulty = new Set<string>();
  readonly #contested = new Set<string>();

  list(): readonly Config[] {
    return [...this.#definers.keys()].flatMap((key) => this.get(key) ?? []);
  }

  get(key: string): Config | undefined {
    const file = this.#definers.get(key)?.[0];
    return file === undefined ? undefined : this.#files.get(file)?.objects.get(key);
  }

  /** Takes the content of files that changed; `undefined` for files that are gone. Costs as much as these files hold. */
  update(contents: ReadonlyMap<string, FileContent | undefined>): readonly ConfigChange[] {
    const before = new Map<string, Config | undefined>();
    for (const [file, content = NOTHING] of contents) {
      const old = this.#files.get(file) ?? NOTHING;
      const keys = [...old.objects.keys(), ...[...content.objects.keys()].filter((key) => !old.objects.has(key))];
      const touched = keys.filter((key) => old.objects.get(key) !== content.objects.get(key));
      for (const key of touched) if (!before.has(key)) before.set(key, this.get(key));
      if (contents.get(file)) this.#files.set(file, content);
      else this.#files.delete(file);
      put(this.#faulty, file, content.diagnostics.length > 0);
      for (const key of touched) this.#define(key, file, content.objects.has(key));
    }
    return [...before].flatMap(([key, old]) => {
      const now = this.get(key);
      const known = now ?? old;
      return known && old !== now ? [{ key: keyOf(known), old, new: now }] : [];
    });
  }

  diagnostics(): readonly Diagnostic[] {
    const files = [...this.#faulty].sort();
    return [...files.flatMap((file) => this.#files.get(file)?.diagnostics ?? []), ...this.#duplicates()];
  }

  #define(key: string, file: string, defines: boolean): void {
    const others = (this.#definers.get(key) ?? []).filter((other) => other !== file);
    const all = defines ? [...others, file].sort() : others;
    if (all.length > 0) this.#definers.set(key, all);
    else this.#definers.delete(key);
    put(this.#contested, key, all.length > 1);
  }

  *#duplicates(): Generator<Diagnostic> {
    for (const key of [...this.#contested].sort()) {
      const [first, ...others] = this.#definers.get(key) ?? [];
      for (const file of others) {
        const object = this.#files.get(file)?.objects.get(key);
        if (!object) continue;
        const message = `also defined in ${first}, which counts because its path comes first`;
        const place = { file, ...(object.source && { line: object.source.line }) };
        yield { severity: 'error', code: 'duplicate-object', ...keyOf(object), field: '', message, ...place };
      }
    }
  }
}

function put(set: Set<string>, member: string, belongs: boolean): void {
  if (belongs) set.add(member);
  else set.delete(member);
}
