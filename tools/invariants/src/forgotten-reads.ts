import { isDeepStrictEqual } from 'node:util';
import { parseInput } from '@kedge/incremental';
import fc from 'fast-check';
import { anySlowHistory, type History } from './history.ts';
import { liveStates } from './live.ts';

/** A history with what comes of it while all reads are recorded, and the accessors (sources, indexes, facts, queries) that it reads. */
interface Example {
  readonly history: History;
  readonly expected: readonly (readonly (readonly string[])[])[];
  readonly accessors: ReadonlySet<string>;
  /** Those of them that changed, or were computed, after the start: where a forgotten read is likeliest to show. */
  readonly stirred: ReadonlySet<string>;
}

/**
 * Shows that a forgotten read would be noticed: with the recording of an accessor switched off, connected proxies must
 * come to hold something else in at least one of the examples. What they hold otherwise is what a fresh server would give
 * them, by the first of the invariants.
 */
export class ForgottenReads {
  readonly #examples: readonly Example[];

  constructor(run: { readonly seed?: number; readonly numRuns: number }) {
    this.#examples = fc.sample(anySlowHistory, run).map(exampleOf);
  }

  /** Every accessor that any example reads, sorted. */
  get accessors(): readonly string[] {
    return [...new Set(this.#examples.flatMap(({ accessors }) => [...accessors]))].sort();
  }

  /** How many examples it takes to notice; undefined where none does. */
  noticed(forgotten: string): number | undefined {
    const isStirred = ({ stirred }: Example): boolean => stirred.has(forgotten);
    const reading = this.#examples.filter(({ accessors }) => accessors.has(forgotten));
    const likelyFirst = [...reading.filter(isStirred), ...reading.filter((example) => !isStirred(example))];
    const at = likelyFirst.findIndex((example) => goesWrong(example, forgotten));
    return at < 0 ? undefined : at + 1;
  }

  /** How many examples read it. */
  readers(accessor: string): number {
    return this.#examples.filter(({ accessors }) => accessors.has(accessor)).length;
  }
}

function exampleOf(history: History): Example {
  const accessors = new Set<string>();
  const stirred = new Set<string>();
  const records = (accessor: string): boolean => Boolean(accessors.add(accessor));
  let isStart = true;
  const states = liveStates(history, { records }, ({ memo, changed }) => {
    const computed = memo.recomputations.take();
    if (!isStart) {
      for (const { query } of computed) stirred.add(query);
      for (const input of changed) stirred.add(accessorOf(input));
    }
    isStart = false;
  });
  return { history, expected: [...states], accessors, stirred };
}

/** The source or index that an input belongs to. */
function accessorOf(input: string): string {
  const { source, index } = parseInput(input);
  return index === undefined ? source : `${source}.${index}`;
}

function goesWrong({ history, expected }: Example, forgotten: string): boolean {
  let step = 0;
  for (const state of liveStates(history, { records: (accessor) => accessor !== forgotten })) {
    if (!isDeepStrictEqual(state, expected[step++])) return true;
  }
  return false;
}
