import { isDeepStrictEqual } from 'node:util';
import { type Derivation, derivations, parseInput } from '@kedge/incremental';
import { answer, TYPE_URLS } from '@kedge/networking';
import type { PushContext } from '@kedge/pushcontext';
import fc from 'fast-check';
import { type ShortType, subscriptionsOf } from './answers.ts';
import { anySlowHistory, familyHistory, type History, slowSteps } from './history.ts';
import { liveStates } from './live.ts';
import { inputs } from './mesh.ts';

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
  /** How many examples are tried in which the accessor was stirred. */
  readonly tries: number;
  readonly families: number;
  /** How many of the meshes that read an accessor are tried with changes made for it. */
  readonly directed: number;
}

/**
 * Shows that a forgotten read would be noticed: with the recording of an accessor switched off, connected proxies must
 * come to hold something else in at least one of the examples. What they hold otherwise is what a fresh server would give
 * them, by the first of the invariants.
 */
export class ForgottenReads {
  readonly #examples: readonly Example[];
  /** Where what tells proxies apart matters. */
  readonly #families: readonly Example[];
  readonly #search: Search;

  constructor(search: Search) {
    this.#search = search;
    this.#examples = fc.sample(anySlowHistory, search).map(exampleOf);
    this.#families = fc.sample(familyHistory, { ...search, numRuns: search.families }).map(exampleOf);
  }

  /** Every accessor that any example reads, sorted. */
  get accessors(): readonly string[] {
    const all = [...this.#examples, ...this.#families];
    return [...new Set(all.flatMap(({ accessors }) => [...accessors]))].sort();
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

  /** Whether whoever reads it reads all that it rests on itself, so that nobody can be led astray by forgetting it. */
  redundant(accessor: string): boolean {
    const reading = this.#examples.filter(({ accessors }) => accessors.has(accessor));
    return reading.length > 0 && reading.every(({ history }) => isRedundant(history, accessor));
  }

  /** The examples in which it was stirred, families, then meshes that read it with changes of the inputs that stir it. */
  *#candidates(accessor: string): Generator<Example> {
    const { seed, tries, directed } = this.#search;
    const reading = this.#examples.filter(({ accessors }) => accessors.has(accessor));
    const stirring = reading.filter(({ stirred }) => stirred.has(accessor));
    yield* stirring.slice(0, tries);
    yield* this.#families;
    const causes = new Set(stirring.flatMap(({ stirred }) => [...(stirred.get(accessor) ?? [])]));
    const own = inputs.filter((input) => input === accessor || accessor.startsWith(`${input}.`) || causes.has(input));
    for (const [at, { history }] of reading.slice(0, directed).entries()) {
      const steps = slowSteps(own.length > 0 ? own : inputs);
      const changes = fc.record({ start: fc.constant(history.start), steps, proxies: fc.constant(history.proxies) });
      for (const found of fc.sample(changes, { seed: seed + at, numRuns: 2 })) yield exampleOf(found);
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

function isRedundant(history: History, accessor: string): boolean {
  let readings = 0;
  let isSo = true;
  const look = (push: PushContext): void => {
    for (const proxy of history.proxies) {
      for (const [type, names] of Object.entries(subscriptionsOf(push, proxy))) {
        const root = push.memo.derivation(proxy, answer, TYPE_URLS[type as ShortType], names);
        for (const reader of derivations(root)) {
          const parts = reads(reader, accessor);
          readings += parts.length;
          isSo &&= parts.every((part) => isCovered(part, reader));
        }
      }
    }
  };
  for (const _state of liveStates(history, {}, look)) if (!isSo) return false;
  return isSo && readings > 0;
}

const reads = ({ parts }: Derivation, accessor: string): readonly Derivation[] =>
  parts.filter(({ query }) => query === accessor);

/** Whether all inputs of a part are read by its reader itself, and the part is the same for all proxies. */
function isCovered(part: Derivation, reader: Derivation): boolean {
  const own = new Set(reader.inputs);
  return [...derivations(part)].every(
    ({ inputs: below, facts }) => facts.length === 0 && below.every((input) => own.has(input)),
  );
}

function goesWrong({ history, expected }: Example, forgotten: string): boolean {
  let step = 0;
  for (const state of liveStates(history, { records: (accessor) => accessor !== forgotten })) {
    if (!isDeepStrictEqual(state, expected[step++])) return true;
  }
  return false;
}
