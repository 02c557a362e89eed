import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { copyAtomically, removeUnfinished } from './files.ts';

/** What tells that a file is the one that was looked at. */
type Identity = string;

/**
 * Keeps the plugin on the node the same as in the image: files, and folders of files that these start, whose names differ from
 * version to version. So what is in a folder is there before the file that needs it, and is removed after it.
 */
export class Binaries {
  readonly #sourceDir: string;
  readonly #targetDir: string;
  /** Files that are known to be equal, source and target, so that they aren't read at each check. */
  readonly #equal = new Map<string, Identity>();

  constructor(sourceDir: string, targetDir: string) {
    this.#sourceDir = sourceDir;
    this.#targetDir = targetDir;
  }

  /** @returns the paths of files that were written */
  async install(): Promise<readonly string[]> {
    const { files, folders } = await this.#contents();
    if (files.length === 0) throw new Error(`there is no plugin in ${this.#sourceDir}`);
    for (const folder of folders) await mkdir(join(this.#targetDir, folder), { recursive: true });
    for (const folder of ['', ...folders]) await removeUnfinished(join(this.#targetDir, folder));
    const written: string[] = [];
    for (const path of files) {
      const [source, target] = [join(this.#sourceDir, path), join(this.#targetDir, path)];
      const both = `${await identity(source)} ${await identity(target)}`;
      if (this.#equal.get(path) === both) continue;
      if (await isEqual(source, target)) {
        // As they were before they were read: what has changed meanwhile is another file.
        this.#equal.set(path, both);
      } else {
        await copyAtomically(source, target, 0o755);
        written.push(path);
      }
    }
    await this.#removeFolders(folders);
    return written;
  }

  async remove(): Promise<void> {
    const { files } = await this.#contents();
    for (const path of files.toReversed()) await rm(join(this.#targetDir, path), { force: true });
    await this.#removeFolders([]);
    await removeUnfinished(this.#targetDir);
  }

  /** Removes the folders of other versions. */
  async #removeFolders(except: readonly string[]): Promise<void> {
    for (const entry of await readdir(this.#targetDir, { withFileTypes: true })) {
      const isOurs = entry.isDirectory() && runtimeFolder.test(entry.name);
      if (isOurs && !except.includes(entry.name)) await rm(join(this.#targetDir, entry.name), { recursive: true });
    }
  }

  /** What the image has, files in folders first. */
  async #contents() {
    const entries = await readdir(this.#sourceDir, { withFileTypes: true });
    const shown = entries.filter(({ name }) => !name.startsWith('.'));
    const folders = shown.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    const files: string[] = [];
    for (const folder of folders) {
      for (const name of await readdir(join(this.#sourceDir, folder))) files.push(join(folder, name));
    }
    files.push(...shown.filter((entry) => entry.isFile()).map(({ name }) => name));
    return { files, folders };
  }
}

/** A version of the plugin has its own, told by a hash. */
const runtimeFolder = /^istio-cni-runtime-[0-9a-f]{12}$/;

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
