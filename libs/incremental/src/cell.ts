import { Failure } from './failure.ts';
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
  /**
   * `certain`: a value it read did change; otherwise something further away did, and a check will show.
   * @param by what of all that it read tells it.
   */
  invalidate(certain: boolean, cause: InputName, by: InputNode | Cell): void;
}

/** An input somebody read, with those who read it. */
export class InputNode {
  readonly name: InputName;
  readonly dependents = new Set<Dependent>();
  readonly height = 0;
  mark = 0;

  constructor(name: InputName) {
    this.name = name;
  }
}

/** `check` means that something read, directly or not, may have changed; `gone` that the cell left its tree. */
export type CellState = 'clean' | 'check' | 'dirty' | 'gone';

/** What cells need of the memo that holds them. */
export interface CellHost {
  /** Tells a dependent that a value it read has changed. */
  notify(dependent: Dependent, cause: InputName, by: Cell): void;
  /** Hears that nobody reads something any more, for now. */
  orphaned(node: InputNode | Cell): void;
  /** A number that no node is marked with yet. Marking nodes is a cheap way to compare long lists of them. */
  nextMark(): number;
}

/** What a cell holds beside its value where its query joins others; see `join`. */
export interface Parts {
  readonly keys: Cell;
  readonly keyList: readonly string[];
  /** One for each key. */
  readonly items: readonly PartItem[];
  /** What was combined: the values of the items. */
  readonly values: readonly unknown[];
  /** Those of the cells that were read which may have changed since. */
  readonly suspects: Set<InputNode | Cell>;
}

/** One item of a join: its cell, and the choices that led to it with what they were. */
export interface PartItem {
  readonly cell: Cell;
  readonly choices: readonly Cell[];
  readonly answers: readonly unknown[];
  /** What reading the item adds to the path of the reader. */
  readonly path: readonly Step[];
}

/** What was asked. */
export interface Asked {
  readonly query: AnyQuery;
  readonly args: readonly Key[];
  /** The arguments as one text. */
  readonly key: string;
}

/** What a computation gave and what it rests on. */
export interface Computed {
  readonly value: unknown;
  readonly path: readonly Step[];
  /** Each node once. */
  readonly reads: readonly (InputNode | Cell)[];
  readonly parts?: Parts;
}

/**
 * One computed value of a query: what it is, which answers led to it (`path`), and what it read. It is valid
 * for every subject that gives the same answers.
 */
export class Cell implements Asked, Dependent {
  readonly query: AnyQuery;
  readonly args: readonly Key[];
  readonly key: string;
  readonly path: readonly Step[];
  readonly dependents = new Set<Dependent>();
  value: unknown;
  reads: readonly (InputNode | Cell)[] = [];
  parts: Parts | undefined;
  /** What the cell is in the join that read it last; others that come to it by the same choices share it. */
  item: PartItem | undefined;
  state: CellState = 'clean';
  /** Greater than that of all it reads, so that changes can be worked off from the bottom up. */
  height = 0;
  mark = 0;
  /** The input whose change last invalidated the cell; what "why was this recomputed" answers with. */
  cause: InputName | undefined;
  readonly #host: CellHost;
  /** What `answerOf` made of the value; undefined before it was asked for. */
  #answer: unknown;

  constructor({ query, args, key }: Asked, computed: Computed, host: CellHost) {
    this.query = query;
    this.args = args;
    this.key = key;
    this.path = computed.path;
    this.value = computed.value;
    this.#host = host;
    this.parts = computed.parts;
    this.#link(computed.reads);
  }

  /** What of the value tells subjects apart, where somebody is filed under it. */
  get answer(): unknown {
    const { query, value } = this;
    return query.answerOf && !(value instanceof Failure) ? (this.#answer ??= query.answerOf(value)) : value;
  }

  /** Whether the value is the same for all subjects. */
  get isShared(): boolean {
    return this.path.length === 0;
  }

  invalidate(certain: boolean, cause: InputName, by: InputNode | Cell): void {
    this.parts?.suspects.add(by);
    if (this.state === 'gone' || this.state === 'dirty' || (this.state === 'check' && !certain)) return;
    const wasClean = this.state === 'clean';
    this.state = certain ? 'dirty' : 'check';
    this.cause = cause;
    if (wasClean) this.spreadDoubt(cause);
  }

  /** Tells those who read the value that it may have changed. */
  spreadDoubt(cause: InputName): void {
    for (const dependent of this.dependents) dependent.invalidate(false, cause, this);
  }

  /** The same as `invalidate` for certain, where those who read the value are told when it is their turn. */
  defer(cause: InputName, by: InputNode | Cell): void {
    this.parts?.suspects.add(by);
    this.state = 'dirty';
    this.cause = cause;
  }

  /** Takes a recomputed value; those who read the old one are told only if it differs. */
  settle({ value, reads, parts }: Computed): void {
    this.parts = parts;
    this.#relink(reads);
    this.#settleValue(value);
  }

  /** Takes the parts of a join, of the same items as before. */
  settleParts(parts: Parts): void {
    const hasChanged = parts.values !== this.parts?.values;
    this.parts = parts;
    this.#settleValue(hasChanged ? this.query.join?.combine(parts.values) : this.value);
  }

  #settleValue(value: unknown): void {
    this.state = 'clean';
    if (Object.is(this.value, value) || this.query.equals(this.value, value)) return;
    this.value = value;
    this.#answer = undefined;
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
    for (const dependent of [...this.dependents]) this.#host.notify(dependent, this.cause ?? this.query.name, this);
  }

  #link(reads: readonly (InputNode | Cell)[]): void {
    this.reads = reads;
    for (const read of reads) read.dependents.add(this);
    this.#measure();
  }

  /** Mostly the same is read as before: only what differs is touched. */
  #relink(reads: readonly (InputNode | Cell)[]): void {
    const before = this.#host.nextMark();
    const both = this.#host.nextMark();
    for (const read of this.reads) read.mark = before;
    for (const read of reads) {
      if (read.mark === before) read.mark = both;
      else read.dependents.add(this);
    }
    for (const read of this.reads) if (read.mark === before) this.#leave(read);
    this.reads = reads;
    this.#measure();
  }

  #unlink(): void {
    for (const read of this.reads) this.#leave(read);
    this.reads = [];
    this.parts = undefined;
    this.item = undefined;
  }

  #leave(read: InputNode | Cell): void {
    read.dependents.delete(this);
    if (read.dependents.size === 0) this.#host.orphaned(read);
  }

  #measure(): void {
    let height = 0;
    for (const read of this.reads) if (read.height > height) height = read.height;
    this.height = height + 1;
  }
}
