import { readFileSync, unwatchFile, watchFile } from 'node:fs';

/** How often a file is looked at. Mounted ConfigMaps change behind links, which notifications do not follow. */
const INTERVAL_MS = 500;

/** A file that may come, change and go. */
export class TextFile implements Disposable {
  readonly path: string;
  #text: string | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(path: string) {
    this.path = path;
    this.#text = read(path);
    watchFile(path, { interval: INTERVAL_MS, persistent: false }, this.#look);
  }

  /** What is in the file; undefined where there is none. */
  get text(): string | undefined {
    return this.#text;
  }

  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  [Symbol.dispose](): void {
    unwatchFile(this.path, this.#look);
    this.#listeners.clear();
  }

  readonly #look = (): void => {
    const text = read(this.path);
    if (text === this.#text) return;
    this.#text = text;
    for (const listener of this.#listeners) listener();
  };
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
