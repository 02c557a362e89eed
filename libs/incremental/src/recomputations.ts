import type { InputName } from './snapshot.ts';

/** How often the values of a query were computed, and because of which inputs. */
export interface Recomputation {
  readonly query: string;
  readonly count: number;
  /** How often by the change of each input; what is left was computed for the first time. */
  readonly causes: ReadonlyMap<InputName, number>;
}

/** How many inputs are told apart for each query; the first ones that come. */
const MOST_CAUSES = 20;

interface Tally {
  count: number;
  readonly causes: Map<InputName, number>;
}

/** Counts what is computed and why, for traces. Its size is bounded by the number of queries. */
export class Recomputations {
  #byQuery = new Map<string, Tally>();

  /** @param cause absent where a value is computed for the first time. */
  add(query: string, cause: InputName | undefined): void {
    let tally = this.#byQuery.get(query);
    if (!tally) this.#byQuery.set(query, (tally = { count: 0, causes: new Map() }));
    tally.count += 1;
    if (cause === undefined) return;
    const count = tally.causes.get(cause);
    if (count !== undefined || tally.causes.size < MOST_CAUSES) tally.causes.set(cause, (count ?? 0) + 1);
  }

  /** What was computed since it was last asked, the most often computed first. */
  take(): readonly Recomputation[] {
    const taken = [...this.#byQuery].map(([query, tally]) => ({ query, ...tally }));
    this.#byQuery = new Map();
    return taken.sort((a, b) => b.count - a.count);
  }
}
