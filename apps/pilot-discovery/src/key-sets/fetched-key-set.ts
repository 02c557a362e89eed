import { type FetchText, fetchKeySet, isSameJwks, type KeySetPlace } from '@kedge/security';

const SECOND = 1000;

/** How long the last keys count where they can't be fetched any more. */
const RETENTION = 7 * 24 * 3600 * SECOND;

/** What came of a fetch, and of which place. */
export interface KeySetFetch extends KeySetPlace {
  /** Absent where there were keys. */
  readonly problem?: string;
}

export interface FetchedKeySetOptions {
  readonly place: KeySetPlace;
  /** Milliseconds until the next fetch, after one that came to something. */
  readonly refreshInterval: number;
  readonly timeoutMs: number;
  readonly fetchText: FetchText;
  /** Told each time the keys become others; undefined where they are too old to be believed. */
  readonly changed: (keys: string | undefined) => void;
  readonly observe: (fetch: KeySetFetch) => void;
}

/** The keys at one place, fetched again and again. Those that were fetched last count until there are others. */
export class FetchedKeySet implements Disposable {
  /** Of one fetch. */
  timeoutMs: number;
  /** Resolves after the first fetch, whatever came of it. */
  readonly tried: Promise<void>;
  readonly #options: FetchedKeySetOptions;
  readonly #stop = new AbortController();
  #isTried = false;
  #keys: string | undefined;
  #fetchedAt = 0;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: FetchedKeySetOptions) {
    this.#options = options;
    this.timeoutMs = options.timeoutMs;
    this.tried = this.#fetch().then(() => {
      this.#isTried = true;
    });
  }

  get isTried(): boolean {
    return this.#isTried;
  }

  get keys(): string | undefined {
    return this.#keys;
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
    clearTimeout(this.#timer);
  }

  async #fetch(): Promise<void> {
    const { place, fetchText, refreshInterval, observe } = this.#options;
    const { signal } = this.#stop;
    try {
      const keys = await fetchKeySet(place, fetchText, { timeoutMs: this.timeoutMs, signal });
      if (signal.aborted) return;
      this.#failures = 0;
      this.#fetchedAt = Date.now();
      this.#replace(keys);
      observe(place);
    } catch (error) {
      if (signal.aborted) return;
      this.#failures++;
      if (Date.now() - this.#fetchedAt >= RETENTION) this.#replace(undefined);
      observe({ ...place, problem: error instanceof Error ? error.message : String(error) });
    }
    const wait = this.#failures === 0 ? refreshInterval : Math.min(backOff(this.#failures), refreshInterval);
    this.#timer = setTimeout(() => void this.#fetch(), wait);
  }

  #replace(keys: string | undefined): void {
    const before = this.#keys;
    if (keys === before || (keys !== undefined && before !== undefined && isSameJwks(keys, before))) return;
    this.#keys = keys;
    this.#options.changed(keys);
  }
}

/** Doubles from a second on. */
const backOff = (failures: number): number => SECOND * 2 ** (failures - 1);
