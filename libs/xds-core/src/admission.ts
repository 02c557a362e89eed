import type { Clock } from './clock.ts';

/**
 * Lets new streams in one by one, so that a thousand that come at once don't stand in each other's way: each turn of the
 * event loop admits one, and what the former ones need is served in between. Nobody is turned away.
 */
export class Admission implements Disposable {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  #waiting: (() => void)[] = [];
  #earliest = 0;
  #scheduled = false;
  #timer: Disposable | undefined;
  #disposed = false;

  /** @param maxPerSecond upper bound of admissions; Infinity for none. */
  constructor(maxPerSecond: number, clock: Clock) {
    this.#clock = clock;
    this.#intervalMs = 1000 / maxPerSecond;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  enter(admit: () => void): void {
    this.#waiting.push(admit);
    this.#schedule();
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    this.#timer?.[Symbol.dispose]();
    this.#waiting = [];
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0) return;
    this.#scheduled = true;
    const wait = this.#earliest - this.#clock.now();
    if (wait > 0) this.#timer = this.#clock.after(wait, () => this.#next());
    else this.#clock.soon(() => this.#next());
  }

  #next(): void {
    this.#scheduled = false;
    if (this.#disposed) return;
    this.#earliest = Math.max(this.#earliest, this.#clock.now() - 1000) + this.#intervalMs;
    this.#waiting.shift()?.();
    this.#schedule();
  }
}
