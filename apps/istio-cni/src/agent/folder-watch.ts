import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';

/** Watches folders that may be replaced, or not be there yet. */
export class FolderWatch implements Disposable {
  readonly #onChange: () => void;
  readonly #watched = new Map<string, { readonly inode: number; readonly watcher: FSWatcher }>();

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Sees to it that these are watched; call it again from time to time, for a folder may be another one since. */
  async watch(folders: readonly string[]): Promise<void> {
    for (const folder of folders) {
      const inode = await stat(folder).then(
        ({ ino }) => ino,
        () => undefined,
      );
      const watched = this.#watched.get(folder);
      if (watched?.inode === inode) continue;
      this.#forget(folder);
      if (inode === undefined) continue;
      const watcher = watch(folder, { persistent: false }, this.#onChange);
      watcher.on('error', () => this.#forget(folder));
      this.#watched.set(folder, { inode, watcher });
    }
  }

  #forget(folder: string): void {
    this.#watched.get(folder)?.watcher.close();
    this.#watched.delete(folder);
  }

  [Symbol.dispose](): void {
    for (const folder of [...this.#watched.keys()]) this.#forget(folder);
  }
}
