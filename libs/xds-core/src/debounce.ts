import type { Clock } from './clock.ts';

export interface DebounceOptions<Request> {
  /** A push waits until no further request came for so long, in milliseconds; */
  readonly afterMs: number;
  /** but not longer than this after the first. */
  readonly maxMs: number;
  /** Requests that are not worth waiting for more: they are pushed at once, with nothing merged. */
  immediate(request: Request): boolean;
}

export interface Debounced<Request> {
  readonly request: Request;
  readonly merged: number;
  /** When the first of them came. */
  readonly since: number;
  readonly quietMs: number;
}

/** Merges requests that come in quick succession. */
export class Debouncer<Request> implements Disposable {
  readonly #options: DebounceOptions<Request>;
  readonly #merge: (earlier: Request, later: Request) => Request;
  readonly #push: (debounced: Debounced<Request>) => void;
  readonly #clock: Clock;
  #waiting: { request: Request; merged: number; since: number; last: number } | undefined;
  #timer: Disposable | undefined;

  constructor(
    options: DebounceOptions<Request>,
    merge: (earlier: Request, later: Request) => Request,
    push: (debounced: Debounced<Request>) => void,
    clock: Clock,
  ) {
    this.#options = options;
    this.#merge = merge;
    this.#push = push;
    this.#clock = clock;
  }

  add(request: Request): void {
    const now = this.#clock.now();
    if (this.#options.immediate(request)) {
      this.#push({ request, merged: 1, since: now, quietMs: 0 });
      return;
    }
    const waiting = this.#waiting;
    if (waiting === undefined) {
      this.#waiting = { request, merged: 1, since: now, last: now };
    } else {
      waiting.request = this.#merge(waiting.request, request);
      waiting.merged += 1;
      waiting.last = now;
    }
    if (this.#timer === undefined) this.#wait(Math.min(this.#options.afterMs, this.#options.maxMs));
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#waiting = undefined;
  }

  #wait(ms: number): void {
    this.#timer = this.#clock.after(ms, () => {
      this.#timer = undefined;
      this.#due();
    });
  }

  #due(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    const now = this.#clock.now();
    const left = Math.min(waiting.last + this.#options.afterMs, waiting.since + this.#options.maxMs) - now;
    if (left > 0) {
      this.#wait(left);
      return;
    }
    this.#waiting = undefined;
    const { request, merged, since, last } = waiting;
    this.#push({ request, merged, since, quietMs: now - last });
  }
}
