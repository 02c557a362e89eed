import { copyFile, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Marks files that aren't complete yet; runtimes take no file with this ending. */
const unfinished = '.istio-cni-tmp';

/** Writes a file so that at each moment it is the old or the new one, also if the power fails. */
export async function writeAtomically(file: string, content: string, mode: number): Promise<void> {
  await replace(file, mode, async (temporary) => {
    await using handle = await open(temporary, 'w', mode);
    await handle.writeFile(content);
  });
}

/** Copies a file in the same way; a program that is running goes on with its old file. */
export async function copyAtomically(source: string, file: string, mode: number): Promise<void> {
  await replace(file, mode, (temporary) => copyFile(source, temporary));
}

async function replace(file: string, mode: number, write: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = join(dirname(file), `.${basename(file)}.${process.pid}${unfinished}`);
  try {
    await write(temporary);
    {
      await using handle = await open(temporary, 'r+');
      await handle.chmod(mode);
      await handle.sync();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await using folder = await open(dirname(file), 'r');
  await folder.sync();
}

/** Removes what a process that was killed left behind. */
export async function removeUnfinished(folder: string): Promise<void> {
  const names = await readdir(folder).catch((): string[] => []);
  // Istio's installer names its own like this.
  const leftovers = names.filter((name) => name.endsWith(unfinished) || name.startsWith('istio-cni.tmp.'));
  await Promise.all(leftovers.map((name) => rm(join(folder, name), { force: true })));
}
