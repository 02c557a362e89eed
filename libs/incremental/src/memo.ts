import { Cell, type Dependent, InputNode, type Step } from './cell.ts';
import { DecisionTree } from './decision-tree.ts';
import type { AnyFact, AnyQuery, Fact, Key, Query, Read } from './query.ts';
import { allInput, type Commit, groupInput, type InputName, keyInput, Snapshot } from './snapshot.ts';
import type { Index, Source } from './source.ts';

export interface MemoOptions {
  /**
   * Says whether reads of an accessor (a source, index, fact or query, by name) are recorded; all are. Tests switch one
   * off to show that they would notice a forgotten read.
   */
  readonly records?: (accessor: string) => boolean;
}

/** How often each query was computed; the cost of a change, independent of the machine. */
export type ComputeCounts = ReadonlyMap<string, number>;

/** Stands for the value of a query that threw; readers get the error, and the reads that led to it stay recorded. */
class Failure {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

interface Frame {
  readonly query: string;
  readonly reads: Set<InputNode | Cell>;
  readonly path: Step[];
  readonly pathIds: Set<string>;
}

/** A standing interest in one value: keeps it alive, and hears when it may have changed. */
export interface Watch extends Disposable {
  /** The current value, computed if need be. Reading arms the watch again. */
  read(): unknown;
}

/**
 * Remembers what queries answered, for the newest snapshot. It holds a value until an input which the value read has
 * changed, and finds it again for every subject that gives the same answers to the questions the value asked.
 */
export class Memo<Subject extends object> {
  #snapshot: Snapshot;
  readonly #inputs = new Map<InputName, InputNode>();
  readonly #trees = new Map<AnyQuery, Map<string, DecisionTree>>();
  readonly #readers = new WeakMap<Subject, Read<Subject>>();
  readonly #frames: Frame[] = [];
  readonly #counts = new Map<string, number>();
  readonly #answers = new WeakMap<Subject, Map<string, Key>>();
  readonly #records: (accessor: string) => boolean;

  constructor(snapshot: Snapshot = Snapshot.empty, options: MemoOptions = {}) {
    this.#snapshot = snapshot;
    this.#records = options.records ?? (() => true);
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  get computeCounts(): ComputeCounts {
    return this.#counts;
  }

  /** Moves on to the snapshot of a commit made from the present one. Costs as much as was invalidated. */
  advance({ snapshot, changed }: Commit): void {
    if (this.#frames.length > 0) throw new Error('a query must not change the snapshot it reads');
    this.#snapshot = snapshot;
    for (const name of changed) {
      const input = this.#inputs.get(name);
      if (input) for (const dependent of [...input.dependents]) dependent.invalidate(true, name);
    }
  }

  /** The value of a query for a subject, in the newest snapshot. */
  evaluate<A extends readonly Key[], V>(subject: Subject, query: Query<Subject, A, V>, ...args: A): V {
    return valueOf(this.#cell(subject, query, args)) as V;
  }

  /**
   * Keeps a value alive and tells, once after each read, when it may have changed. A change that turns out to leave the
   * value as it was is seen by the next `read`, which then returns the identical value.
   */
  watch<A extends readonly Key[]>(
    subject: Subject,
    query: Query<Subject, A, unknown>,
    args: A,
    onChange: (cause: InputName) => void,
  ): Watch {
    let watched: ReadonlySet<InputNode | Cell> = new Set();
    let armed = false;
    const dependent: Dependent = {
      invalidate: (_certain, cause) => {
        if (!armed) return;
        armed = false;
        onChange(cause);
      },
    };
    const attach = (next: ReadonlySet<InputNode | Cell>): void => {
      for (const node of watched) if (!next.has(node)) node.dependents.delete(dependent);
      for (const node of next) node.dependents.add(dependent);
      watched = next;
    };
    return {
      read: () => {
        const cell = this.#cell(subject, query, args);
        const frame = newFrame(query.name);
        this.#recordCell(subject, frame, cell);
        this.#recordDerivedFacts(subject, frame);
        attach(frame.reads);
        armed = true;
        return valueOf(cell);
      },
      [Symbol.dispose]: () => {
        armed = false;
        attach(new Set());
      },
    };
  }

  /** Forgets every value that nobody watches, directly or through another value. Linear in the number of values held. */
  sweep(): void {
    const dead: Cell[] = [];
    for (const trees of this.#trees.values()) {
      for (const tree of trees.values())
        for (const cell of tree.cells()) if (cell.dependents.size === 0) dead.push(cell);
    }
    for (let cell = dead.pop(); cell; cell = dead.pop()) {
      const { reads } = cell;
      this.#forget(cell);
      for (const read of reads) {
        if (read.dependents.size > 0) continue;
        if (read instanceof Cell) dead.push(read);
        else this.#inputs.delete(read.name);
      }
    }
  }

  /** The number of values held. */
  get size(): number {
    let cells = 0;
    for (const trees of this.#trees.values()) for (const tree of trees.values()) cells += [...tree.cells()].length;
    return cells;
  }

  /** The inputs that the value rests on, by name, in the order of first reading: the raw material of provenance. */
  inputsOf<A extends readonly Key[]>(
    subject: Subject,
    query: Query<Subject, A, unknown>,
    ...args: A
  ): readonly InputName[] {
    const seen = new Set<InputNode | Cell>();
    const names: InputName[] = [];
    const visit = (node: InputNode | Cell): void => {
      if (seen.has(node)) return;
      seen.add(node);
      if (node instanceof Cell) node.reads.forEach(visit);
      else names.push(node.name);
    };
    visit(this.#cell(subject, query, args));
    return names;
  }

  #forget(cell: Cell): void {
    const trees = this.#trees.get(cell.query);
    const key = argsKey(cell.args);
    const tree = trees?.get(key);
    tree?.remove(cell);
    if (tree?.isEmpty) trees?.delete(key);
    cell.retire();
  }

  #cell(subject: Subject, query: AnyQuery, args: readonly Key[]): Cell {
    let trees = this.#trees.get(query);
    if (!trees) this.#trees.set(query, (trees = new Map()));
    const key = argsKey(args);
    let tree = trees.get(key);
    if (!tree) trees.set(key, (tree = new DecisionTree()));
    const found = tree.find((step) => this.#answerStep(subject, step));
    if (!found) return this.#compute(subject, query, args, tree);
    this.#refresh(subject, found, tree);
    return found.state === 'clean' ? found : this.#compute(subject, query, args, tree);
  }

  /** Brings a cell up to date by asking what it read, in order, and stops at the first that changed. */
  #refresh(subject: Subject, cell: Cell, tree: DecisionTree): void {
    if (cell.state === 'check') {
      for (const read of cell.reads) {
        if (read instanceof Cell && read.state !== 'clean') this.#cell(subject, read.query, read.args);
        if (cell.state !== 'check') break;
      }
      if (cell.state === 'check') cell.state = 'clean';
    }
    if (cell.state === 'dirty') this.#recompute(subject, cell, tree);
  }

  #recompute(subject: Subject, cell: Cell, tree: DecisionTree): void {
    const { value, frame } = this.#run(subject, cell.query, cell.args);
    if (samePath(frame.path, cell.path)) {
      cell.settle(value, [...frame.reads]);
      return;
    }
    tree.remove(cell);
    cell.retire();
    tree.insert(new Cell(cell.query, cell.args, frame.path, value, [...frame.reads]));
  }

  #compute(subject: Subject, query: AnyQuery, args: readonly Key[], tree: DecisionTree): Cell {
    const existing = tree.find((step) => this.#answerStep(subject, step));
    if (existing?.state === 'clean') return existing;
    const { value, frame } = this.#run(subject, query, args);
    const cell = new Cell(query, args, frame.path, value, [...frame.reads]);
    tree.insert(cell);
    return cell;
  }

  #run(subject: Subject, query: AnyQuery, args: readonly Key[]): { readonly value: unknown; readonly frame: Frame } {
    const name = argsKey(args) ? `${query.name}(${args.join(', ')})` : query.name;
    if (this.#frames.some((frame) => frame.query === name)) {
      throw new Error(`query depends on itself: ${[...this.#frames.map((frame) => frame.query), name].join(' -> ')}`);
    }
    const frame = newFrame(name);
    this.#frames.push(frame);
    this.#counts.set(query.name, (this.#counts.get(query.name) ?? 0) + 1);
    try {
      return { value: query.compute(this.#reader(subject) as never, ...args), frame };
    } catch (error) {
      return { value: new Failure(error), frame };
    } finally {
      this.#frames.pop();
    }
  }

  #reader(subject: Subject): Read<Subject> {
    let reader = this.#readers.get(subject);
    if (!reader) this.#readers.set(subject, (reader = this.#newReader(subject)));
    return reader;
  }

  #newReader(subject: Subject): Read<Subject> {
    const readQuery = <A extends readonly Key[], V>(query: Query<Subject, A, V>, ...args: A): V => {
      if (query.answerOf) return readers.by(query, ...args);
      const cell = this.#cell(subject, query, args);
      if (this.#records(query.name)) this.#recordCell(subject, this.#frame(), cell);
      return valueOf(cell) as V;
    };
    const readers: Pick<Read<Subject>, 'by' | 'get' | 'all' | 'group' | 'fact'> = {
      by: <A extends readonly Key[], V>(query: Query<Subject, A, V>, ...args: A): V => {
        const cell = this.#cell(subject, query, args);
        if (this.#records(query.name)) {
          recordStep(this.#frame(), { query, args, id: stepId(query.name, args), value: answerIn(cell) });
        }
        return valueOf(cell) as V;
      },
      get: <V>(source: Source<V>, key: string) => {
        this.#recordInput(source.name, keyInput(source, key));
        return this.#snapshot.get(source, key);
      },
      all: <V>(source: Source<V>) => {
        this.#recordInput(source.name, allInput(source));
        return this.#snapshot.all(source);
      },
      group: <V>(index: Index<V>, group: string) => {
        this.#recordInput(index.name, groupInput(index, group));
        return this.#snapshot.group(index, group);
      },
      fact: <A extends readonly Key[], V extends Key>(fact: Fact<Subject, A, V>, ...args: A): V => {
        const id = stepId(fact.name, args);
        const value = this.#answer(subject, fact, args, id);
        if (this.#records(fact.name)) {
          recordStep(this.#frame(), { fact, args, id, value });
        }
        return value as V;
      },
    };
    return Object.assign(readQuery, readers);
  }

  #recordInput(accessor: string, name: InputName): void {
    if (!this.#records(accessor)) return;
    let input = this.#inputs.get(name);
    if (!input) this.#inputs.set(name, (input = new InputNode(name)));
    this.#frame().reads.add(input);
  }

  #frame(): Frame {
    const frame = this.#frames.at(-1);
    if (!frame) throw new Error('a reader was used after its query returned');
    return frame;
  }

  #answerStep(subject: Subject, step: Step): unknown {
    return step.fact
      ? this.#answer(subject, step.fact, step.args, step.id)
      : answerIn(this.#cell(subject, step.query, step.args));
  }

  /** Those who read a cell depend on it, on the choices that led to it, and on the facts behind all of them. */
  #recordCell(subject: Subject, frame: Frame, cell: Cell): void {
    frame.reads.add(cell);
    for (const step of cell.path) {
      if (step.fact || step.query.answerOf) recordStep(frame, step);
      else this.#recordCell(subject, frame, this.#cell(subject, step.query, step.args));
    }
  }

  /** The cells of the derived facts that led somewhere: when one of them has another answer, it leads elsewhere. */
  #recordDerivedFacts(subject: Subject, frame: Frame): void {
    for (const step of frame.path) {
      if (step.fact) continue;
      const cell = this.#cell(subject, step.query, step.args);
      frame.reads.add(cell);
      // Steps that lead to a derived fact are appended, and thus come to their turn too.
      for (const further of cell.path) recordStep(frame, further);
    }
  }

  #answer(subject: Subject, fact: AnyFact, args: readonly Key[], id: string): Key {
    let answers = this.#answers.get(subject);
    if (!answers) this.#answers.set(subject, (answers = new Map()));
    if (answers.has(id)) return answers.get(id);
    const value = (fact.of as (subject: Subject, ...args: readonly Key[]) => Key)(subject, ...args);
    answers.set(id, value);
    return value;
  }
}

/** What of a cell's value tells subjects apart, where somebody is filed under it. */
function answerIn({ query, value }: Cell): unknown {
  return query.answerOf && !(value instanceof Failure) ? query.answerOf(value) : value;
}

function newFrame(query: string): Frame {
  return { query, reads: new Set(), path: [], pathIds: new Set() };
}

function valueOf(cell: Cell): unknown {
  if (cell.value instanceof Failure) throw cell.value.error;
  return cell.value;
}

function recordStep(frame: Frame, step: Step): void {
  if (frame.pathIds.has(step.id)) return;
  frame.pathIds.add(step.id);
  frame.path.push(step);
}

function samePath(a: readonly Step[], b: readonly Step[]): boolean {
  return a.length === b.length && a.every((step, at) => step.id === b[at]?.id && Object.is(step.value, b[at]?.value));
}

const SEPARATOR = '\u0000';

function argsKey(args: readonly Key[]): string {
  return args.length === 1 ? keyText(args[0]) : args.map(keyText).join(SEPARATOR);
}

function keyText(key: Key): string {
  return key === undefined ? '\u0001' : String(key);
}

function stepId(name: string, args: readonly Key[]): string {
  return args.length === 0 ? name : name + SEPARATOR + argsKey(args);
}
