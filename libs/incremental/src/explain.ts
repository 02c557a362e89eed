import { Cell, type Step } from './cell.ts';
import { Failure } from './failure.ts';
import type { AnyQuery, Key } from './query.ts';
import type { InputName } from './snapshot.ts';

/** A fact of the subject that a value rests on, and its answer. */
export interface FactAnswer {
  readonly fact: string;
  readonly args: readonly Key[];
  readonly answer: unknown;
}

/** How a value came about: what it is and what was read for it. Made as it is looked at; for explanations only. */
export interface Derivation {
  readonly query: string;
  readonly args: readonly Key[];
  /** Undefined where it could not be computed. */
  readonly value: unknown;
  /** The input whose change last made it look again. */
  readonly cause: InputName | undefined;
  readonly facts: readonly FactAnswer[];
  /** Inputs that it read itself, in the order of reading. */
  readonly inputs: readonly InputName[];
  /** Other values that it read, and the choices that led to it. */
  readonly parts: readonly Derivation[];
}

/** @param cellOf what a choice on the way comes to for the subject. */
export function derivationOf(cell: Cell, cellOf: (query: AnyQuery, args: readonly Key[]) => Cell): Derivation {
  const made = new Map<Cell, Derivation>();
  const of = (cell: Cell): Derivation => {
    let known = made.get(cell);
    if (!known) made.set(cell, (known = new CellDerivation(cell, of, ({ query, args }) => cellOf(query, args))));
    return known;
  };
  return of(cell);
}

type Choice = Step & { readonly query: AnyQuery };

const isChoice = (step: Step): step is Choice => step.query !== undefined;

class CellDerivation implements Derivation {
  readonly #cell: Cell;
  readonly #derivationOf: (cell: Cell) => Derivation;
  readonly #chosen: (choice: Choice) => Cell;

  constructor(cell: Cell, derivationOfCell: (cell: Cell) => Derivation, chosen: (choice: Choice) => Cell) {
    this.#cell = cell;
    this.#derivationOf = derivationOfCell;
    this.#chosen = chosen;
  }

  get query(): string {
    return this.#cell.query.name;
  }

  get args(): readonly Key[] {
    return this.#cell.args;
  }

  get value(): unknown {
    return this.#cell.value instanceof Failure ? undefined : this.#cell.value;
  }

  get cause(): InputName | undefined {
    return this.#cell.cause;
  }

  get facts(): readonly FactAnswer[] {
    return this.#cell.path.flatMap(({ fact, args, value }) => (fact ? [{ fact: fact.name, args, answer: value }] : []));
  }

  get inputs(): readonly InputName[] {
    return this.#cell.reads.flatMap((read) => (read instanceof Cell ? [] : [read.name]));
  }

  get parts(): readonly Derivation[] {
    const read = this.#cell.reads.filter((node): node is Cell => node instanceof Cell);
    const chosen = this.#cell.path.filter(isChoice).map((choice) => this.#chosen(choice));
    return [...new Set([...read, ...chosen])].map(this.#derivationOf);
  }
}

/** The derivation and all below it, each once, in the order of reading. */
export function* derivations(root: Derivation): Generator<Derivation> {
  const seen = new Set([root]);
  const stack = [root];
  for (let next = stack.pop(); next; next = stack.pop()) {
    yield next;
    for (const part of next.parts.toReversed()) {
      if (seen.has(part)) continue;
      seen.add(part);
      stack.push(part);
    }
  }
}

/** The parts of an input's name: of a source one key, or all or their keys (no key), or one group of an index. */
interface ParsedInput {
  readonly source: string;
  readonly index?: string;
  readonly key?: string;
}

/** Reads what `keyInput`, `allInput`, `keysInput` and `groupInput` write. */
export function parseInput(name: InputName): ParsedInput {
  const [, named = name, bracket, inner = ''] = /^([^[(]*)([[(])(.*)[\])]$/s.exec(name) ?? [];
  if (bracket === '[') return inner === '*' || inner === '#' ? { source: named } : { source: named, key: inner };
  const at = named.indexOf('.');
  return at < 0 ? { source: named } : { source: named.slice(0, at), index: named.slice(at + 1), key: inner };
}
