import type { Clock } from '../clock.ts';

/** Time that stands still until the test lets it pass. */
export class FakeClock implements Clock {
  #now = Date.UTC(2024, 0, 1);
  #timers: { readonly at: number; readonly callback: () => void; active: boolean }[] = [];
  #soon: (() => void)[] = [];

  now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): Disposable {
    const timer = { at: this.#now + ms, callback, active: true };
    this.#timers.push(timer);
    return { [Symbol.dispose]: () => void (timer.active = false) };
  }

  soon(callback: () => void): void {
    this.#soon.push(callback);
  }

  get timers(): number {
    return this.#timers.filter(({ active }) => active).length;
  }

  /** Runs what was put off to the next turn, and what that puts off. */
  settle(): void {
    for (let next = this.#soon.shift(); next !== undefined; next = this.#soon.shift()) next();
  }

  /** Lets time pass, with everything that happens meanwhile in its order. */
  advance(ms: number): void {
    this.settle();
    const end = this.#now + ms;
    for (;;) {
      const due = this.#timers.filter(({ active, at }) => active && at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#now = Math.max(this.#now, due.at);
      due.active = false;
      this.#timers = this.#timers.filter(({ active }) => active);
      due.callback();
      this.settle();
    }
    this.#now = end;
  }
}
