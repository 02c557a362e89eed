import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { anyHistory, type History } from './history.ts';
import { freshStates, liveStates } from './live.ts';

/** A history with what should come of it, and the accessors (sources, indexes, facts, queries) that it reads. */
interface Example {
  readonly history: History;
  readonly expected: readonly (readonly (readonly string[])[])[];
  readonly accessors: ReadonlySet<string>;
}

/**
 * Shows that a forgotten read would be noticed: with the recording of an accessor switched off, connected proxies must
 * come to hold something else than what a fresh server would give them, in at least one of the examples.
 */
export class ForgottenReads {
  readonly #examples: readonly Example[];

  constructor(run: { readonly seed?: number; readonly numRuns: number }) {
    this.#examples = fc.sample(anyHistory, run).map((history) => {
      const accessors = new Set<string>();
      const records = (accessor: string): boolean => Boolean(accessors.add(accessor));
      for (const _state of liveStates(history, { records }));
      return { history, expected: [...freshStates(history)], accessors };
    });
  }

  /** Every accessor that any example reads, sorted. */
  get accessors(): readonly string[] {
    return [...new Set(this.#examples.flatMap(({ accessors }) => [...accessors]))].sort();
  }

  /** How many examples it takes to notice; undefined where none does. */
  noticed(forgotten: string): number | undefined {
    const reading = this.#examples.filter(({ accessors }) => accessors.has(forgotten));
    const at = reading.findIndex((example) => goesWrong(example, forgotten));
    return at < 0 ? undefined : at + 1;
  }

  /** How many examples read it. */
  readers(accessor: string): number {
    return this.#examples.filter(({ accessors }) => accessors.has(accessor)).length;
  }
}

function goesWrong({ history, expected }: Example, forgotten: string): boolean {
  let step = 0;
  for (const state of liveStates(history, { records: (accessor) => accessor !== forgotten })) {
    if (!isDeepStrictEqual(state, expected[step++])) return true;
  }
  return false;
}
