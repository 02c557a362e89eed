import { type FSWatcher, readdirSync, realpathSync, type Stats, statSync, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Files that changed (or are new), and files that are gone. Each path stands once. */
export interface FileBatch {
  readonly changed: readonly string[];
  readonly gone: readonly string[];
}

export interface FolderWatchOptions {
  /** Which files matter, by name. */
  readonly isWanted: (name: string) => boolean;
  readonly onBatch: (batch: FileBatch) => void;
  /** Whether the folders in it count too; they do unless this says no. */
  readonly deep?: boolean;
  /**
   * Milliseconds of quiet after which a file that is being written in place, or that is gone, counts as such. What was
   * renamed into place is complete and is told at once.
   */
  readonly settle?: number;
  /** Milliseconds between looks at everything, for what the system's notification missed. */
  readonly rescan?: number;
}

/** Renames come in bursts; those of a burst make one batch. */
const BURST = 4;
/** A file that is never quiet is read all the same after so many times the settling time. */
const PATIENCE = 10;

interface Folder {
  /** Absent where the system has no watch left; the rescan has to do then. */
  watcher: FSWatcher | undefined;
  /** What the system knows the folder by: another one may have taken its path. */
  id: string;
  /** Its path without links. */
  real: string;
  names: Set<string>;
}

interface Pending {
  readonly since: number;
  due: number;
  settled: boolean;
}

/**
 * Tells what happens to the files of a folder and of the folders in it. Names that begin with a dot are passed over, but
 * where such a link is turned to another folder, as Kubernetes does to update a mounted ConfigMap, the files beside it
 * are looked at again.
 */
export class FolderWatch implements Disposable {
  readonly #root: string;
  readonly #options: Required<FolderWatchOptions>;
  /** State of each wanted file, by path. */
  readonly #files = new Map<string, string>();
  readonly #folders = new Map<string, Folder>();
  readonly #pending = new Map<string, Pending>();
  readonly #rescan: NodeJS.Timeout;
  #timer: NodeJS.Timeout | undefined;
  #disposed = false;

  /** Throws where the folder cannot be read. The first batch holds every file and is told before this returns. */
  constructor(root: string, options: FolderWatchOptions) {
    this.#root = root;
    this.#options = { deep: true, settle: 30, rescan: 60_000, ...options };
    readdirSync(root);
    this.#look([root]);
    this.#rescan = setInterval(() => this.#look([root]), this.#options.rescan).unref();
  }

  /** Whether there is such a file, as far as has been looked. */
  has(path: string): boolean {
    return this.#files.has(path);
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#rescan);
    for (const { watcher } of this.#folders.values()) watcher?.close();
    this.#folders.clear();
  }

  /** Looks at paths, tells what has changed. */
  #look(paths: readonly string[]): void {
    const changed = new Set<string>();
    const gone = new Set<string>();
    for (const path of paths) this.#visit(path, changed, gone, this.#above(path));
    if (changed.size > 0 || gone.size > 0) this.#options.onBatch({ changed: [...changed], gone: [...gone] });
  }

  /** The real paths of the folders on the way. */
  #above(path: string): ReadonlySet<string> {
    const above = new Set<string>();
    for (let at = dirname(path); ; at = dirname(at)) {
      const folder = this.#folders.get(at);
      if (!folder) return above;
      above.add(folder.real);
    }
  }

  /** `above` holds the real paths of the folders on the way, so that a link that leads back is not followed. */
  #visit(path: string, changed: Set<string>, gone: Set<string>, above: ReadonlySet<string>): void {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats) this.#folders.get(dirname(path))?.names.add(basename(path));
    if (stats?.isDirectory()) {
      if (this.#options.deep || path === this.#root) this.#visitFolder(path, stats, changed, gone, above);
    } else if (stats?.isFile() && this.#options.isWanted(basename(path))) {
      const state = stateOf(stats);
      if (this.#files.get(path) !== state) changed.add(path);
      this.#files.set(path, state);
    } else if (path === this.#root) {
      // A mount that is away for a moment means to delete nothing.
      this.#schedule(path, this.#options.settle, true);
    } else {
      this.#forget(path, gone);
    }
  }

  #visitFolder(path: string, stats: Stats, changed: Set<string>, gone: Set<string>, above: ReadonlySet<string>): void {
    let real: string;
    let names: readonly string[];
    try {
      real = realpathSync(path);
      names = readdirSync(path).filter((name) => !name.startsWith('.'));
    } catch {
      // It went away just now, or may not be read; if that changes, an event or the rescan leads here again.
      return;
    }
    if (above.has(real)) return;
    const folder = this.#watched(path, real, `${stats.dev} ${stats.ino}`);
    const before = folder.names;
    folder.names = new Set(names);
    const within = new Set([...above, real]);
    for (const name of names) this.#visit(join(path, name), changed, gone, within);
    for (const name of before) if (!folder.names.has(name)) this.#forget(join(path, name), gone);
  }

  /** A file or a folder is no longer there, nor is what was in it. */
  #forget(path: string, gone: Set<string>): void {
    if (this.#files.delete(path)) gone.add(path);
    const folder = this.#folders.get(path);
    if (!folder) return;
    folder.watcher?.close();
    this.#folders.delete(path);
    for (const name of folder.names) this.#forget(join(path, name), gone);
  }

  #watched(path: string, real: string, id: string): Folder {
    let folder = this.#folders.get(path);
    if (!folder) this.#folders.set(path, (folder = { watcher: undefined, id, real, names: new Set() }));
    const open = folder;
    open.real = real;
    if (open.watcher && open.id === id) return open;
    open.watcher?.close();
    open.id = id;
    try {
      open.watcher = watch(path, (event, name) => this.#onEvent(path, event, name));
      open.watcher.on('error', () => (open.watcher = undefined));
    } catch {
      // No watch is left, or the folder is going away; the next rescan tries again.
      open.watcher = undefined;
    }
    return open;
  }

  #onEvent(folder: string, event: 'rename' | 'change', name: string | null): void {
    if (this.#disposed) return;
    // Under its own name a folder tells that it was moved or deleted.
    if (name === basename(folder)) this.#schedule(folder, this.#options.settle, true);
    if (name === null || name.startsWith('..')) this.#schedule(folder, BURST, true);
    else if (!name.startsWith('.'))
      this.#schedule(join(folder, name), event === 'rename' ? BURST : this.#options.settle, event === 'change');
  }

  #schedule(path: string, delay: number, settled: boolean): void {
    const now = performance.now();
    const since = this.#pending.get(path)?.since ?? now;
    const due = Math.min(now + delay, since + PATIENCE * this.#options.settle);
    this.#pending.set(path, { since, due, settled });
    this.#arm();
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#pending.size === 0) return;
    const next = Math.min(...[...this.#pending.values()].map(({ due }) => due));
    this.#timer = setTimeout(() => this.#process(), Math.max(0, next - performance.now()));
  }

  #process(): void {
    const now = performance.now();
    const ready: string[] = [];
    for (const [path, pending] of this.#pending) {
      if (pending.due > now + 1) continue;
      if (!pending.settled && this.#mayFollow(path)) {
        pending.settled = true;
        pending.due = now + this.#options.settle;
        continue;
      }
      this.#pending.delete(path);
      ready.push(path);
    }
    try {
      if (ready.length > 0) this.#look(ready);
    } finally {
      this.#arm();
    }
  }

  /** What is gone may come back, and what is empty may be filled, by a writer that works in steps. */
  #mayFollow(path: string): boolean {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats === undefined ? this.#files.has(path) || this.#folders.has(path) : stats.isFile() && stats.size === 0;
  }
}

const stateOf = ({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string => [dev, ino, size, mtimeMs, ctimeMs].join(' ');
