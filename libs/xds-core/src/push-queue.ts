/**
 * Connections that wait for a push, in the order in which they came. What comes for a waiting connection is merged; what
 * comes for one that is being pushed waits until that is done.
 */
export class PushQueue<Target, Push> {
  readonly #merge: (earlier: Push, later: Push) => Push;
  readonly #pending = new Map<Target, Push>();
  /** Those being pushed, with what has come for them since. */
  readonly #processing = new Map<Target, Push | undefined>();

  constructor(merge: (earlier: Push, later: Push) => Push) {
    this.#merge = merge;
  }

  /** How many connections wait. */
  get size(): number {
    return this.#pending.size;
  }

  /** @returns whether it was merged with what waited already. */
  enqueue(target: Target, push: Push): boolean {
    if (this.#processing.has(target)) {
      const waiting = this.#processing.get(target);
      this.#processing.set(target, waiting === undefined ? push : this.#merge(waiting, push));
      return waiting !== undefined;
    }
    const waiting = this.#pending.get(target);
    this.#pending.set(target, waiting === undefined ? push : this.#merge(waiting, push));
    return waiting !== undefined;
  }

  /** The next connection to push; `done` must follow. */
  dequeue(): readonly [target: Target, push: Push] | undefined {
    const next = this.#pending.entries().next();
    if (next.done === true) return undefined;
    const [target] = next.value;
    this.#pending.delete(target);
    this.#processing.set(target, undefined);
    return next.value;
  }

  done(target: Target): void {
    const waiting = this.#processing.get(target);
    this.#processing.delete(target);
    if (waiting !== undefined) this.enqueue(target, waiting);
  }

  /** Takes what waits for one connection, out of turn. */
  take(target: Target): Push | undefined {
    const pending = this.#pending.get(target);
    if (pending !== undefined) {
      this.#pending.delete(target);
      return pending;
    }
    const waiting = this.#processing.get(target);
    if (waiting !== undefined) this.#processing.set(target, undefined);
    return waiting;
  }

  /** Forgets a connection that is gone. */
  remove(target: Target): void {
    this.#pending.delete(target);
    this.#processing.delete(target);
  }
}
