import type { InputName } from './snapshot.ts';
import type { AnyFact, AnyQuery, Key } from './query.ts';

/**
 * One question asked on the way to a cell, and the answer that leads there: a fact of the subject, a derived fact, or a
 * query whose value tells subjects apart.
 */
export type Step = { readonly id: string; readonly value: unknown; readonly args: readonly Key[] } & (
  { readonly fact: AnyFact; readonly query?: undefined } | { readonly query: AnyQuery; readonly fact?: undefined }
);

/** Something that wants to hear that what it read may have changed. */
export interface Dependent {
  /** `certain`: a value it read did change; otherwise something further away did, and a check will show. */
  invalidate(certain: boolean, cause: InputName): void;
}

/** An input somebody read, with those who read it. */
export class InputNode {
  readonly name: InputName;
  readonly dependents = new Set<Dependent>();

  constructor(name: InputName) {
    this.name = name;
  }
}

/** `check` means that something read, directly or not, may have changed; `gone` that the cell left its tree. */
export type CellState = 'clean' | 'check' | 'dirty' | 'gone';

/**
 * One computed value of a query: what it is, which answers led to it (`path`), and what it read. It is valid
 * for every subject that gives the same answers.
 */
export class Cell implements Dependent {
  readonly query: AnyQuery;
  readonly args: readonly Key[];
  readonly path: readonly Step[];
  readonly dependents = new Set<Dependent>();
  value: unknown;
  reads: readonly (InputNode | Cell)[] = [];
  state: CellState = 'clean';
  /** The input whose change last invalidated the cell; what "why was this recomputed" answers with. */
  cause: InputName | undefined;

  constructor(
    query: AnyQuery,
    args: readonly Key[],
    path: readonly Step[],
    value: unknown,
    reads: readonly (InputNode | Cell)[],
  ) {
    this.query = query;
    this.args = args;
    this.path = path;
    this.value = value;
    this.link(reads);
  }

  invalidate(certain: boolean, cause: InputName): void {
    if (this.state === 'gone' || this.state === 'dirty' || (this.state === 'check' && !certain)) return;
    const wasClean = this.state === 'clean';
    this.state = certain ? 'dirty' : 'check';
    this.cause = cause;
    if (wasClean) for (const dependent of this.dependents) dependent.invalidate(false, cause);
  }

  /** Takes a recomputed value; those who read the old one are told only if it differs. */
  settle(value: unknown, reads: readonly (InputNode | Cell)[]): void {
    const equal = Object.is(this.value, value) || this.query.equals(this.value, value);
    this.unlink();
    this.link(reads);
    this.state = 'clean';
    if (equal) return;
    this.value = value;
    this.announce();
  }

  /** Leaves the tree: whoever read it has to look again. */
  retire(): void {
    if (this.state === 'gone') return;
    this.state = 'gone';
    this.unlink();
    this.announce();
    this.dependents.clear();
  }

  private announce(): void {
    for (const dependent of [...this.dependents]) dependent.invalidate(true, this.cause ?? this.query.name);
  }

  private link(reads: readonly (InputNode | Cell)[]): void {
    this.reads = reads;
    for (const read of reads) read.dependents.add(this);
  }

  private unlink(): void {
    for (const read of this.reads) read.dependents.delete(this);
    this.reads = [];
  }
}
