/**
 * Owns what must be let go together: watches, timers, streams. Disposing is idempotent, runs in reverse order of adding,
 * and goes on when one of the owned things throws; the errors then come together as an AggregateError.
 */
export class DisposableStore implements Disposable {
  #owned = new Set<Disposable>();
  #disposed = false;

  get disposed(): boolean {
    return this.#disposed;
  }

  /** Takes ownership; what is added to a disposed store is disposed of at once. */
  add<T extends Disposable>(owned: T): T {
    if (this.#disposed) owned[Symbol.dispose]();
    else this.#owned.add(owned);
    return owned;
  }

  /** Takes ownership of a clean-up function. */
  defer(cleanup: () => void): Disposable {
    return this.add({ [Symbol.dispose]: cleanup });
  }

  /** Disposes of one owned thing before the others. */
  release(owned: Disposable): void {
    if (this.#owned.delete(owned)) owned[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    if (this.#disposed) return;
    this.#disposed = true;
    const errors: unknown[] = [];
    for (const owned of [...this.#owned].reverse()) {
      try {
        owned[Symbol.dispose]();
      } catch (error) {
        errors.push(error);
      }
    }
    this.#owned.clear();
    if (errors.length > 0) throw new AggregateError(errors, 'errors while disposing');
  }
}
