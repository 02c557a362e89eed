import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Diagnostic } from '@kedge/model';
import { hasErrors } from '../admission.ts';
import { Listeners } from '../listeners.ts';
import { FolderWatch } from './folder-watch.ts';

/** What a text says. A value that comes with errors is not used. */
export interface ParsedFile<T> {
  readonly value: T;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * A single file with one value, such as the mesh configuration, followed as it changes. A state that cannot be read or
 * has errors leaves the last good value in effect, as does a file that is gone.
 */
export class WatchedFile<T> implements Disposable {
  readonly #path: string;
  readonly #parse: (text: string, file: string) => ParsedFile<T>;
  readonly #changes = new Listeners<WatchedFile<T>>();
  readonly #watch: FolderWatch;
  #value: T;
  #diagnostics: readonly Diagnostic[] = [];

  /** Reads the file before it returns; `initial` holds until there is a good state. Throws where its folder is missing. */
  constructor(path: string, parse: (text: string, file: string) => ParsedFile<T>, initial: T) {
    this.#path = path;
    this.#parse = parse;
    this.#value = initial;
    const name = basename(path);
    this.#watch = new FolderWatch(dirname(resolve(path)), {
      isWanted: (candidate) => candidate === name,
      deep: false,
      onBatch: () => this.#read(),
    });
    if (!this.#watch.has(resolve(path))) this.#read();
  }

  get value(): T {
    return this.#value;
  }

  get diagnostics(): readonly Diagnostic[] {
    return this.#diagnostics;
  }

  /** Tells each new state of the file, also one that left the value as it was. */
  subscribe(listener: (file: WatchedFile<T>) => void): Disposable {
    return this.#changes.add(listener);
  }

  [Symbol.dispose](): void {
    this.#watch[Symbol.dispose]();
    this.#changes.clear();
  }

  #read(): void {
    try {
      const { value, diagnostics } = this.#parse(readFileSync(this.#path, 'utf8'), this.#path);
      this.#diagnostics = diagnostics;
      if (!hasErrors(diagnostics)) this.#value = value;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const object = { kind: '', namespace: '', name: '', field: '' };
      this.#diagnostics = [{ ...object, severity: 'error', code: 'unreadable-file', message, file: this.#path }];
    }
    this.#changes.tell(this);
  }
}
