import { isDeepStrictEqual } from 'node:util';
import { parseInput } from '@kedge/incremental';
import fc from 'fast-check';
import { anySlowHistory, type History, slowSteps } from './history.ts';
import { liveStates } from './live.ts';
import { inputs } from './mesh.ts';
import { someProxies } from './proxies.ts';

/** A history with what comes of it while all reads are recorded, and the accessors (sources, indexes, facts, queries) read. */
interface Example {
  readonly history: History;
  readonly expected: readonly (readonly (readonly string[])[])[];
  readonly accessors: ReadonlySet<string>;
  /** Those of them that changed, or were computed, after the start, with the inputs that led to it. */
  readonly stirred: ReadonlyMap<string, ReadonlySet<string>>;
}

interface Search {
  readonly seed: number;
  /** How many meshes are looked at in search of accessors. */
  readonly numRuns: number;
  /** How many of the meshes that read an accessor are tried with changes made for it. */
  readonly tries: number;
}

/**
 * Shows that a forgotten read would be noticed: with the recording of an accessor switched off, connected proxies must
 * come to hold something else in at least one of the examples. What they hold otherwise is what a fresh server would give
 * them, by the first of the invariants.
 */
export class ForgottenReads {
  readonly #examples: readonly Example[];
  readonly #search: Search;

  constructor(search: Search) {
    this.#search = search;
    this.#examples = fc.sample(anySlowHistory, search).map(exampleOf);
  }

  /** Every accessor that any example reads, sorted. */
  get accessors(): readonly string[] {
    return [...new Set(this.#examples.flatMap(({ accessors }) => [...accessors]))].sort();
  }

  /** How many examples it takes to notice; undefined where none does. */
  noticed(forgotten: string): number | undefined {
    let tried = 0;
    for (const example of this.#candidates(forgotten)) {
      tried += 1;
      if (example.accessors.has(forgotten) && goesWrong(example, forgotten)) return tried;
    }
    return undefined;
  }

  /** In how many examples it is read. */
  readers(accessor: string): number {
    return this.#examples.filter(({ accessors }) => accessors.has(accessor)).length;
  }

  /**
   * The examples in which it was stirred, then meshes that read it with changes of the inputs that do so, and for other
   * proxies: they may be told apart by it.
   */
  *#candidates(accessor: string): Generator<Example> {
    const { seed, tries } = this.#search;
    const reading = this.#examples.filter(({ accessors }) => accessors.has(accessor));
    const stirring = reading.filter(({ stirred }) => stirred.has(accessor));
    yield* stirring.slice(0, tries);
    const causes = new Set(stirring.flatMap(({ stirred }) => [...(stirred.get(accessor) ?? [])]));
    const own = inputs.filter((input) => input === accessor || accessor.startsWith(`${input}.`) || causes.has(input));
    for (const [at, { history }] of reading.slice(0, tries).entries()) {
      const steps = slowSteps(own.length > 0 ? own : inputs);
      for (const arbitrary of [
        fc.record({ start: fc.constant(history.start), steps, proxies: fc.constant(history.proxies) }),
        fc.record({ start: fc.constant(history.start), steps, proxies: someProxies(6) }),
      ]) {
        for (const directed of fc.sample(arbitrary, { seed: seed + at, numRuns: 1 })) yield exampleOf(directed);
      }
    }
  }
}

function exampleOf(history: History): Example {
  const accessors = new Set<string>();
  const stirred = new Map<string, Set<string>>();
  const stir = (accessor: string, input: string): void => {
    const causes = stirred.get(accessor) ?? new Set();
    stirred.set(accessor, causes.add(parseInput(input).source));
  };
  const records = (accessor: string): boolean => Boolean(accessors.add(accessor));
  // At the start everything is new.
  let isStart = true;
  const states = liveStates(history, { records }, ({ memo, changed }) => {
    for (const { query, causes } of memo.recomputations.take()) for (const input of causes.keys()) stir(query, input);
    if (!isStart) for (const input of changed) stir(accessorOf(input), input);
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
