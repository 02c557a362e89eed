import fc from 'fast-check';
import { type Example, exampleOf, goesWrong } from './example.ts';
import { anySlowHistory, familyHistory, slowSteps } from './history.ts';
import { inputs } from './mesh.ts';
import { isRedundant } from './redundancy.ts';
import { situations } from './situations/index.ts';
import { historyOf } from './situations/situation.ts';

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
  /** Made up for it. */
  readonly #situations: readonly Example[];
  readonly #examples: readonly Example[];
  /** Where what tells proxies apart matters. */
  readonly #families: readonly Example[];
  readonly #search: Search;

  constructor(search: Search) {
    this.#search = search;
    this.#situations = Object.values(situations).map((situation) => exampleOf(historyOf(situation)));
    this.#examples = fc.sample(anySlowHistory, search).map(exampleOf);
    this.#families = fc.sample(familyHistory, { ...search, numRuns: search.families }).map(exampleOf);
  }

  /** Every accessor that any example reads, sorted. */
  get accessors(): readonly string[] {
    return [...new Set(this.#all.flatMap(({ accessors }) => [...accessors]))].sort();
  }

  get #all(): readonly Example[] {
    return [...this.#situations, ...this.#examples, ...this.#families];
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
    return this.#all.filter(({ accessors }) => accessors.has(accessor)).length;
  }

  /** Whether whoever reads it reads all that it rests on itself, so that nobody can be led astray by forgetting it. */
  redundant(accessor: string): boolean {
    const reading = [...this.#situations, ...this.#examples].filter(({ accessors }) => accessors.has(accessor));
    return reading.length > 0 && reading.every(({ history }) => isRedundant(history, accessor));
  }

  /**
   * Situations made up for it, the examples in which it was stirred, families, then meshes that read it with changes of the
   * inputs that stir it.
   */
  *#candidates(accessor: string): Generator<Example> {
    const { seed, tries, directed } = this.#search;
    const reading = this.#examples.filter(({ accessors }) => accessors.has(accessor));
    const stirring = reading.filter(({ stirred }) => stirred.has(accessor));
    yield* this.#situations;
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
