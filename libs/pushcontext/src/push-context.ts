import {
  type Commit,
  type InputName,
  type Key,
  Memo,
  type MemoOptions,
  type Query,
  Snapshot,
  type SnapshotEdit,
  type Watch,
} from '@kedge/incremental';
import type { Proxy } from '@kedge/model';

/**
 * All that generation reads, at one moment. A PushContext never changes. The next one shares every value which the change
 * between them doesn't touch, so its cost follows the size of the change, not of the mesh.
 *
 * Values that were derived once are remembered along the line of contexts. Only the newest profits from that: asking an
 * older one is allowed and correct, but computes from scratch.
 */
export class PushContext {
  readonly snapshot: Snapshot;
  /** Counts from 0, the empty context. */
  readonly version: number;
  /** The inputs that read differently than in the context before. */
  readonly changed: readonly InputName[];
  readonly #memo: Memo<Proxy>;

  private constructor({ snapshot, changed }: Commit, version: number, memo: Memo<Proxy>) {
    this.snapshot = snapshot;
    this.version = version;
    this.changed = changed;
    this.#memo = memo;
  }

  static empty(options?: MemoOptions): PushContext {
    return new PushContext({ snapshot: Snapshot.empty, changed: [] }, 0, new Memo(Snapshot.empty, options));
  }

  /** The context after a change. Must be asked of the newest. */
  next(change: (edit: SnapshotEdit) => void): PushContext {
    if (!this.#isNewest) throw new Error('only the newest PushContext has a successor');
    const edit = this.snapshot.edit();
    change(edit);
    const commit = edit.commit();
    this.#memo.advance(commit);
    return new PushContext(commit, this.version + 1, this.#memo);
  }

  evaluate<A extends readonly Key[], V>(proxy: Proxy, query: Query<Proxy, A, V>, ...args: A): V {
    const memo = this.#isNewest ? this.#memo : new Memo<Proxy>(this.snapshot);
    return memo.evaluate(proxy, query, ...args);
  }

  /** See {@link Memo.watch}: follows the value along the line of contexts, this one's successors included. */
  watch<A extends readonly Key[]>(
    proxy: Proxy,
    query: Query<Proxy, A, unknown>,
    args: A,
    onChange: (cause: string) => void,
  ): Watch {
    return this.#memo.watch(proxy, query, args, onChange);
  }

  /** Values remembered along the line, for metrics, sweeping and explanations. */
  get memo(): Memo<Proxy> {
    return this.#memo;
  }

  get #isNewest(): boolean {
    return this.#memo.snapshot === this.snapshot;
  }
}
