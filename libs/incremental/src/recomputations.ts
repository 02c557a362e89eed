import type { AnyQuery } from './query.ts';
import type { InputName } from './snapshot.ts';

/** How often the values of a query were computed, and because of which inputs. */
export interface Recomputation {
  readonly query: string;
  /** 0 where a join was only brought up to date. */
  readonly count: number;
  /** Milliseconds that it took, without what it read. */
  readonly ownMs: number;
  /** Whether it puts together what other queries made: then its time is in proportion to all that it holds. */
  readonly assembles: boolean;
  /** How often by the change of each input; what is left was computed for the first time. */
  readonly causes: ReadonlyMap<InputName, number>;
}

/** How many inputs are told apart for each query; the first ones that come. */
const MOST_CAUSES = 20;

interface Tally {
  count: number;
  ownMs: number;
  readonly assembles: boolean;
  readonly causes: Map<InputName, number>;
}

/** Counts and times what is computed and why, for traces. Its size is bounded by the number of queries. */
export class Recomputations {
  #byQuery = new Map<string, Tally>();
  /** What was timed within the present work, and so is not its own. */
  #withinMs = 0;

  /** @param cause absent where a value is computed for the first time. */
  add(query: AnyQuery, cause: InputName | undefined): void {
    const tally = this.#tally(query);
    tally.count += 1;
    if (cause === undefined) return;
    const count = tally.causes.get(cause);
    if (count !== undefined || tally.causes.size < MOST_CAUSES) tally.causes.set(cause, (count ?? 0) + 1);
  }

  /** Does some work for a query, in which others may be computed. */
  timed<T>(query: AnyQuery, work: () => T): T {
    const outerMs = this.#withinMs;
    this.#withinMs = 0;
    const started = performance.now();
    try {
      return work();
    } finally {
      const ms = performance.now() - started;
      this.#tally(query).ownMs += ms - this.#withinMs;
      this.#withinMs = outerMs + ms;
    }
  }

  /** What was computed since it was last asked, the most often computed first. */
  take(): readonly Recomputation[] {
    const taken = Array.from(this.#byQuery, ([query, tally]) => ({ query, ...tally }));
    this.#byQuery = new Map();
    return taken.sort((a, b) => b.count - a.count);
  }

  #tally({ name, join, assembles = join !== undefined }: AnyQuery): Tally {
    let tally = this.#byQuery.get(name);
    if (!tally) this.#byQuery.set(name, (tally = { count: 0, ownMs: 0, assembles, causes: new Map() }));
    return tally;
  }
}
