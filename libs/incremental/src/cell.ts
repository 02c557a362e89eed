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
  readonly height = 0;

  constructor(name: InputName) {
    this.name = name;
  }
}

/** `check` means that something read, directly or not, may have changed; `gone` that the cell left its tree. */
export type CellState = 'clean' | 'check' | 'dirty' | 'gone';

/** Tells a dependent that a value it read has changed. */
export type Notify = (dependent: Dependent, cause: InputName) => void;

/** What a cell holds beside its value where its query joins others; see `Join`. */
export interface Parts {
  readonly keys: Cell;
  readonly keyList: readonly string[];
  readonly items: ReadonlyMap<string, PartItem>;
}

/** One item of a join: its cell, the choices that led to it, and all that reading it means to the reader. */
export interface PartItem {
  readonly cell: Cell;
  readonly choices: readonly { readonly cell: Cell; readonly answer: unknown }[];
  readonly reads: ReadonlySet<InputNode | Cell>;
  readonly path: readonly Step[];
}

/** What a computation gave and what it rests on. */
export interface Computed {
  readonly value: unknown;
  readonly path: readonly Step[];
  readonly reads: ReadonlySet<InputNode | Cell>;
  readonly parts?: Parts;
}

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
  parts: Parts | undefined;
  state: CellState = 'clean';
  /** Greater than that of all it reads, so that changes can be worked off from the bottom up. */
  height = 0;
  /** The input whose change last invalidated the cell; what "why was this recomputed" answers with. */
  cause: InputName | undefined;
  readonly #notify: Notify;

  constructor(query: AnyQuery, args: readonly Key[], computed: Computed, notify: Notify) {
    this.query = query;
    this.args = args;
    this.path = computed.path;
    this.value = computed.value;
    this.#notify = notify;
    this.#link(computed);
  }

  /** Whether the value is the same for all subjects. */
  get isShared(): boolean {
    return this.path.length === 0;
  }

  invalidate(certain: boolean, cause: InputName): void {
    if (this.state === 'gone' || this.state === 'dirty' || (this.state === 'check' && !certain)) return;
    const wasClean = this.state === 'clean';
    this.state = certain ? 'dirty' : 'check';
    this.cause = cause;
    if (wasClean) this.spreadDoubt(cause);
  }

  /** Tells those who read the value that it may have changed. */
  spreadDoubt(cause: InputName): void {
    for (const dependent of this.dependents) dependent.invalidate(false, cause);
  }

  /** Takes a recomputed value; those who read the old one are told only if it differs. */
  settle(computed: Computed): void {
    this.#unlink();
    this.#link(computed);
    this.settleValue(computed.value);
  }

  /** The same where what the value rests on has stayed the same. */
  settleValue(value: unknown): void {
    this.state = 'clean';
    if (Object.is(this.value, value) || this.query.equals(this.value, value)) return;
    this.value = value;
    this.#announce();
  }

  /** Leaves the tree: whoever read it has to look again. */
  retire(): void {
    if (this.state === 'gone') return;
    this.state = 'gone';
    this.#unlink();
    this.#announce();
    this.dependents.clear();
  }

  #announce(): void {
    for (const dependent of [...this.dependents]) this.#notify(dependent, this.cause ?? this.query.name);
  }

  #link({ reads, parts }: Computed): void {
    this.reads = [...reads];
    this.parts = parts;
    let height = 0;
    for (const read of this.reads) {
      read.dependents.add(this);
      if (read.height > height) height = read.height;
    }
    this.height = height + 1;
  }

  #unlink(): void {
    for (const read of this.reads) read.dependents.delete(this);
    this.reads = [];
    this.parts = undefined;
  }
}
