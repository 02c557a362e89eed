import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { watchFolder } from '@kedge/security';
import type { SecretSource } from './secret-name.ts';
import type { SecretContent } from './secret-resource.ts';

export interface FileSecretOptions {
  readonly source: SecretSource;
  /** Gets the content once it is there, and each time that it changes. */
  readonly onContent: (content: SecretContent) => void;
  /** Told why the files can't be used, once for each reason; absent: nobody is. */
  readonly report?: (problem: string) => void;
}

/** Between two tries where files or their folders aren't there. */
const retryMs = 1000;

/** A secret in files that are followed. What was read stays where they become unreadable. */
export class FileSecret implements Disposable {
  readonly #options: FileSecretOptions;
  readonly #folders: readonly string[];
  readonly #watches = new Map<string, Disposable>();
  #timer: NodeJS.Timeout | undefined;
  #told: string | undefined;
  #problem: string | undefined;
  #disposed = false;

  constructor(options: FileSecretOptions) {
    this.#options = options;
    const { source } = options;
    const paths = source.kind === 'roots' ? [source.path] : [source.chain, source.key];
    this.#folders = [...new Set(paths.map((path) => dirname(path)))];
    void this.#follow();
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    clearTimeout(this.#timer);
    for (const watch of this.#watches.values()) watch[Symbol.dispose]();
  }

  /** Watches before it reads, so that no change gets lost in between. */
  async #follow(): Promise<void> {
    try {
      for (const folder of this.#folders) {
        if (!this.#watches.has(folder))
          this.#watches.set(
            folder,
            watchFolder(folder, () => void this.#follow()),
          );
      }
      const content = await read(this.#options.source);
      if (this.#disposed) return;
      this.#problem = undefined;
      const text = JSON.stringify(content);
      if (text === this.#told) return;
      this.#told = text;
      this.#options.onContent(content);
    } catch (error) {
      if (this.#disposed) return;
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== this.#problem) this.#options.report?.(problem);
      this.#problem = problem;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#follow(), retryMs);
    }
  }
}

async function read(source: SecretSource): Promise<SecretContent> {
  const text = (path: string) => readFile(path, 'utf8');
  if (source.kind === 'roots') return { roots: await text(source.path) };
  const [chain, key] = await Promise.all([text(source.chain), text(source.key)]);
  return { chain, key };
}
