import type { Clock } from '@kedge/xds-core';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** Time that passes only when it is told to. */
export class LocalClock implements Clock {
  #now = Date.UTC(2024, 0, 1);
  readonly #timers = new Set<Timer>();
  readonly #soon: (() => void)[] = [];

  now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): Disposable {
    const timer = { at: this.#now + ms, callback };
    this.#timers.add(timer);
    return { [Symbol.dispose]: () => void this.#timers.delete(timer) };
  }

  soon(callback: () => void): void {
    this.#soon.push(callback);
  }

  /** Runs what was put off to the next turn, and what that puts off. */
  settle(): void {
    for (let next = this.#soon.shift(); next !== undefined; next = this.#soon.shift()) next();
  }

  advance(ms: number): void {
    const end = this.#now + ms;
    this.settle();
    for (let due = this.#next(end); due; due = this.#next(end)) {
      this.#now = Math.max(this.#now, due.at);
      this.#timers.delete(due);
      due.callback();
      this.settle();
    }
    this.#now = end;
  }

  #next(end: number): Timer | undefined {
    return [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
  }
}
