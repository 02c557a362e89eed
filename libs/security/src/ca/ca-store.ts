import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isErrorCode } from '../error-code.ts';

/** Files by name, as in the Secret that an authority is kept in. */
export type CaFiles = Readonly<Record<string, string>>;

/** Where a self-signed authority survives a restart. */
export interface CaStore {
  load(): Promise<CaFiles | undefined>;
  /** @returns false where there is something already. */
  create(files: CaFiles): Promise<boolean>;
  replace(files: CaFiles): Promise<void>;
}

/** Keeps the files for the life of the process. */
export class MemoryCaStore implements CaStore {
  #files: CaFiles | undefined;

  load(): Promise<CaFiles | undefined> {
    return Promise.resolve(this.#files);
  }

  create(files: CaFiles): Promise<boolean> {
    if (this.#files) return Promise.resolve(false);
    this.#files = files;
    return Promise.resolve(true);
  }

  replace(files: CaFiles): Promise<void> {
    this.#files = files;
    return Promise.resolve();
  }
}

/** The link to the folder with the files that count. */
const current = 'current';

/**
 * Keeps the files in a folder that is readable by its owner only. Each state is a subfolder, and `current` a link to one
 * of them: a crash or another process at the same time leaves a whole state, old or new.
 */
export class FolderCaStore implements CaStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async load(): Promise<CaFiles | undefined> {
    const folder = join(this.#folder, current);
    const names = await orAbsent(readdir(folder));
    if (!names) return undefined;
    const entries = names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const);
    return Object.fromEntries(await Promise.all(entries));
  }

  async create(files: CaFiles): Promise<boolean> {
    const state = await this.#write(files);
    try {
      await symlink(state, join(this.#folder, current));
      return true;
    } catch (error) {
      await rm(join(this.#folder, state), { recursive: true });
      if (isErrorCode(error, 'EEXIST')) return false;
      throw error;
    }
  }

  async replace(files: CaFiles): Promise<void> {
    const link = join(this.#folder, current);
    const before = await orAbsent(readlink(link));
    const state = await this.#write(files);
    const next = `${link}.${state}`;
    await symlink(state, next);
    await rename(next, link);
    if (before !== undefined) await rm(join(this.#folder, before), { recursive: true, force: true });
  }

  async #write(files: CaFiles): Promise<string> {
    const state = `state-${randomUUID()}`;
    const folder = join(this.#folder, state);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text, { mode: 0o600 });
    return state;
  }
}

async function orAbsent<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
