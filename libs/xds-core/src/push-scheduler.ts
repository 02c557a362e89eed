import type { Clock } from './clock.ts';
import { PushQueue } from './push-queue.ts';

/** A connection as the scheduler sees it. */
export interface PushTarget {
  /** Whether it takes no bytes at the moment. */
  readonly full: boolean;
}

export interface PushSchedulerOptions<Target, Push> {
  /** How many targets may have unsent bytes of a push at the same time. */
  readonly limit: number;
  /** After this time a target that takes its bytes slowly no longer counts. */
  readonly slowMs: number;
  readonly clock: Clock;
  merge(earlier: Push, later: Push): Push;
  push(target: Target, push: Push): void;
}

/** How long pushes go on before pending I/O gets its turn. */
const sliceMs = 8;

/** Takes connections from the push queue, at most so many at a time; one that takes no bytes holds up no other. */
export class PushScheduler<Target extends PushTarget, Push> implements Disposable {
  readonly #options: PushSchedulerOptions<Target, Push>;
  readonly #queue: PushQueue<Target, Push>;
  /** Targets that were full when their turn came, until they drain. */
  readonly #stalled = new Map<Target, Push>();
  /** Targets with unsent bytes, with the timer that ends their counting. */
  readonly #sending = new Map<Target, Disposable>();
  #scheduled = false;

  constructor(options: PushSchedulerOptions<Target, Push>) {
    this.#options = options;
    this.#queue = new PushQueue(options.merge);
  }

  /** How many wait for their turn. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** @returns whether it was merged with what waited already. */
  enqueue(target: Target, push: Push): boolean {
    const stalled = this.#stalled.get(target);
    if (stalled !== undefined) {
      this.#stalled.set(target, this.#options.merge(stalled, push));
      return true;
    }
    this.#schedule();
    return this.#queue.enqueue(target, push);
  }

  /** Takes what waits for a target, which is answered out of turn. */
  take(target: Target): Push | undefined {
    const stalled = this.#stalled.get(target);
    this.#stalled.delete(target);
    return stalled ?? this.#queue.take(target);
  }

  /** The target takes bytes again. */
  drained(target: Target): void {
    const stalled = this.#stalled.get(target);
    this.#stalled.delete(target);
    if (stalled !== undefined) this.#queue.enqueue(target, stalled);
    this.#release(target);
  }

  remove(target: Target): void {
    this.#stalled.delete(target);
    this.#queue.remove(target);
    this.#release(target);
  }

  [Symbol.dispose](): void {
    for (const timer of this.#sending.values()) timer[Symbol.dispose]();
    this.#sending.clear();
    this.#stalled.clear();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#options.clock.soon(() => {
      this.#scheduled = false;
      this.#run();
    });
  }

  #run(): void {
    const { clock, limit } = this.#options;
    const started = clock.now();
    while (this.#sending.size < limit) {
      const next = this.#queue.dequeue();
      if (next === undefined) return;
      this.#pushTo(...next);
      if (clock.now() - started > sliceMs) {
        this.#schedule();
        return;
      }
    }
  }

  #pushTo(target: Target, push: Push): void {
    const { clock, slowMs } = this.#options;
    if (target.full) this.#stalled.set(target, push);
    else this.#options.push(target, push);
    this.#queue.done(target);
    if (target.full && !this.#stalled.has(target)) {
      this.#sending.set(
        target,
        clock.after(slowMs, () => this.#release(target)),
      );
    }
  }

  #release(target: Target): void {
    this.#sending.get(target)?.[Symbol.dispose]();
    this.#sending.delete(target);
    if (this.#queue.size > 0) this.#schedule();
  }
}
