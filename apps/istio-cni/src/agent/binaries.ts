import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { copyAtomically, removeUnfinished } from './files.ts';

/** What tells that a file is the one that was looked at. */
type Identity = string;

/** Keeps the plugin's executable on the node the same as that of the image. */
export class Binaries {
  readonly #sourceDir: string;
  readonly #targetDir: string;
  /** Files that are known to be equal, source and target, so that they aren't read at each check. */
  readonly #equal = new Map<string, Identity>();

  constructor(sourceDir: string, targetDir: string) {
    this.#sourceDir = sourceDir;
    this.#targetDir = targetDir;
  }

  /** @returns the names of files that were written */
  async install(): Promise<readonly string[]> {
    const names = await this.#names();
    if (names.length === 0) throw new Error(`there is no plugin in ${this.#sourceDir}`);
    await removeUnfinished(this.#targetDir);
    const written: string[] = [];
    for (const name of names) {
      const [source, target] = [join(this.#sourceDir, name), join(this.#targetDir, name)];
      const both = `${await identity(source)} ${await identity(target)}`;
      if (this.#equal.get(name) === both) continue;
      if (!(await isEqual(source, target))) {
        await copyAtomically(source, target, 0o755);
        written.push(name);
      }
      this.#equal.set(name, `${await identity(source)} ${await identity(target)}`);
    }
    return written;
  }

  async remove(): Promise<void> {
    for (const name of await this.#names()) await rm(join(this.#targetDir, name), { force: true });
    await removeUnfinished(this.#targetDir);
  }

  async #names(): Promise<readonly string[]> {
    const entries = await readdir(this.#sourceDir, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => name);
  }
}

async function identity(file: string): Promise<Identity> {
  const of = await stat(file, { bigint: true }).catch(() => undefined);
  return of === undefined ? 'none' : [of.dev, of.ino, of.size, of.mode, of.mtimeNs].join(':');
}

async function isEqual(source: string, target: string): Promise<boolean> {
  const [a, b] = await Promise.all([source, target].map((file) => stat(file).catch(() => undefined)));
  if (a?.size !== b?.size || b === undefined || (b.mode & 0o777) !== 0o755) return false;
  return (await digest(source)) === (await digest(target));
}

async function digest(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
