/** Time, which tests replace. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once, unless disposed of before. */
  after(ms: number, callback: () => void): Disposable;
  /** Calls back after pending I/O was served, so that long work lets others in between. */
  soon(callback: () => void): void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
  soon: (callback) => void setImmediate(callback),
};
