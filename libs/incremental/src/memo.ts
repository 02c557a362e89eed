import { Cell, type CellHost, type Computed, type Dependent, InputNode, type Step } from './cell.ts';
import { DecisionTree } from './decision-tree.ts';
import { type Derivation, derivationOf } from './explain.ts';
import { Failure } from './failure.ts';
import { Frame, samePath, valueOf } from './frame.ts';
import { computeJoin, currentParts, type JoinHost } from './join.ts';
import type { AnyFact, AnyQuery, Fact, Key, Query, Read } from './query.ts';
import { allInput, type Commit, groupInput, type InputName, keyInput, keysInput, Snapshot } from './snapshot.ts';
import type { Index, Source } from './source.ts';
import { Recomputations } from './recomputations.ts';
import { type Watch, WatchedCell, type WatchHost } from './watch.ts';
import { Wave } from './wave.ts';

export interface MemoOptions {
  /**
   * Says whether reads of an accessor (a source, index, fact or query, by name) are recorded; all are. Tests switch one
   * off to show that they would notice a forgotten read.
   */
  readonly records?: (accessor: string) => boolean;
}

/** How often each query was computed; the cost of a change, independent of the machine. */
export type ComputeCounts = ReadonlyMap<string, number>;

/** Thrown where a value that is the same for all subjects, brought up to date for nobody in particular, asks for a fact. */
const NEEDS_SUBJECT = new Error('a fact was asked of nobody in particular');

/**
 * Remembers what queries answered, for the newest snapshot. It holds a value until an input which the value read has
 * changed, and finds it again for every subject that gives the same answers to the questions the value asked.
 */
export class Memo<Subject extends object> {
  #snapshot: Snapshot;
  readonly #inputs = new Map<InputName, InputNode>();
  readonly #trees = new Map<AnyQuery, Map<string, DecisionTree>>();
  readonly #readers = new WeakMap<Subject, Read<Subject>>();
  /** What nobody may need: new, or no longer read by those who read it. */
  readonly #orphans = new Set<InputNode | Cell>();
  readonly #frames: Frame[] = [];
  readonly #counts = new Map<string, number>();
  /** What is computed and why, for traces of changes; who takes it begins anew. */
  readonly recomputations = new Recomputations();
  readonly #answers = new WeakMap<Subject, Map<string, Key>>();
  readonly #records: (accessor: string) => boolean;
  #lastMark = 0;
  readonly #host: CellHost = {
    notify: (dependent, cause, by) => this.#notify(dependent, cause, by),
    orphaned: (node) => this.#orphans.add(node),
    nextMark: () => ++this.#lastMark,
  };
  readonly #joinHost: JoinHost<Subject> = {
    cell: (subject, query, args) => this.#cell(subject, query, args),
    record: (subject, frame, cell) => this.#recordCell(subject, frame, cell),
    records: (query) => this.#records(query.name),
    nextMark: () => this.#host.nextMark(),
  };
  readonly #watchHost: WatchHost<Subject> = {
    cell: (subject, { query, args, key }) => this.#cell(subject, query, args, key),
    refresh: (subject, cell) => this.#refresh(subject, cell),
    readsOf: (subject, cell) => {
      const frame = new Frame(cell.query.name);
      this.#recordCell(subject, frame, cell);
      this.#recordDerivedFacts(subject, frame);
      return frame.reads;
    },
    orphaned: (node) => this.#orphans.add(node),
  };
  /** For whom values that are the same for all are brought up to date. */
  readonly #nobody = {} as Subject;
  /** There while a change is being worked off. */
  #wave: Wave | undefined;

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

  /**
   * Moves on to the snapshot of a commit made from the present one. Values that are the same for all subjects are brought up
   * to date at once, from the bottom up, so that a change which comes to nothing there is not felt further up; those of
   * subjects are marked, and brought up to date when they are asked for.
   */
  advance({ snapshot, changed }: Commit): void {
    if (this.#frames.length > 0) throw new Error('a query must not change the snapshot it reads');
    this.#snapshot = snapshot;
    const wave = new Wave();
    this.#wave = wave;
    try {
      for (const name of changed) {
        const input = this.#inputs.get(name);
        if (input) for (const dependent of [...input.dependents]) this.#notify(dependent, name, input);
      }
      for (let cell = wave.next(); cell; cell = wave.next()) this.#settleForAll(cell);
    } finally {
      this.#wave = undefined;
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
    return new WatchedCell(this.#watchHost, subject, { query, args, key: argsKey(args) }, onChange);
  }

  /** Forgets every value that nobody watches, directly or through another value. Its cost follows what has changed. */
  sweep(): void {
    // Grows meanwhile: by what is read by nobody but values that are forgotten.
    for (const node of this.#orphans) {
      this.#orphans.delete(node);
      if (node.dependents.size > 0) continue;
      if (node instanceof Cell) this.#forget(node);
      else this.#inputs.delete(node.name);
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

  /** How the value comes about, for a subject. */
  derivation<A extends readonly Key[]>(subject: Subject, query: Query<Subject, A, unknown>, ...args: A): Derivation {
    return derivationOf(this.#cell(subject, query, args), (choice, choiceArgs) =>
      this.#cell(subject, choice, choiceArgs),
    );
  }

  #forget(cell: Cell): void {
    if (cell.state === 'gone') return;
    const trees = this.#trees.get(cell.query);
    const tree = trees?.get(cell.key);
    tree?.remove(cell);
    if (tree?.isEmpty) trees?.delete(cell.key);
    cell.retire();
  }

  #cell(subject: Subject, query: AnyQuery, args: readonly Key[], key = argsKey(args)): Cell {
    const tree = this.#tree(query, key);
    const found = tree.find((step) => this.#answerStep(subject, step));
    if (found) this.#refresh(subject, found);
    if (found?.state === 'clean') return found;
    const existing = tree.find((step) => this.#answerStep(subject, step));
    if (existing?.state === 'clean') return existing;
    return this.#insert(tree, new Cell({ query, args, key }, this.#run(subject, query, args), this.#host));
  }

  #tree(query: AnyQuery, key: string): DecisionTree {
    let trees = this.#trees.get(query);
    if (!trees) this.#trees.set(query, (trees = new Map()));
    let tree = trees.get(key);
    if (!tree) trees.set(key, (tree = new DecisionTree()));
    return tree;
  }

  /** Tells a dependent of a changed value: while a change is worked off, what is the same for all waits for its turn. */
  #notify(dependent: Dependent, cause: InputName, by: InputNode | Cell): void {
    if (!this.#wave || !(dependent instanceof Cell) || !dependent.isShared || dependent.dependents.size === 0) {
      dependent.invalidate(true, cause, by);
    } else if (dependent.state !== 'gone') {
      dependent.defer(cause, by);
      this.#wave.add(dependent);
    }
  }

  #settleForAll(cell: Cell): void {
    if (cell.state !== 'dirty') return;
    try {
      this.#refresh(this.#nobody, cell);
    } catch (error) {
      if (error !== NEEDS_SUBJECT) throw error;
      cell.spreadDoubt(cell.cause ?? cell.query.name);
    }
  }

  /** Brings a cell up to date by asking what it read, in order, and stops at the first that changed. */
  #refresh(subject: Subject, cell: Cell): void {
    if (cell.parts && cell.state !== 'clean' && cell.state !== 'gone') {
      if (!this.recomputations.timed(cell.query, () => this.#joinAgain(subject, cell))) this.#recompute(subject, cell);
      return;
    }
    if (cell.state === 'check') {
      for (const read of cell.reads) {
        if (read instanceof Cell && read.state !== 'clean') this.#cell(subject, read.query, read.args);
        if (cell.state !== 'check') break;
      }
      if (cell.state === 'check') cell.state = 'clean';
    }
    if (cell.state === 'dirty') this.#recompute(subject, cell);
  }

  /** Brings a join up to date whose items are the same as before. @returns whether they are. */
  #joinAgain(subject: Subject, cell: Cell): boolean {
    const parts = cell.parts && currentParts(this.#joinHost, subject, cell.parts);
    if (parts) cell.settleParts(parts);
    return parts !== undefined;
  }

  #recompute(subject: Subject, cell: Cell): void {
    const computed = this.#run(subject, cell.query, cell.args, cell);
    if (samePath(computed.path, cell.path)) {
      cell.settle(computed);
      return;
    }
    const tree = this.#tree(cell.query, cell.key);
    tree.remove(cell);
    cell.retire();
    this.#insert(tree, new Cell(cell, computed, this.#host));
  }

  #insert(tree: DecisionTree, cell: Cell): Cell {
    this.#orphans.add(cell);
    tree.insert(cell);
    return cell;
  }

  #run(subject: Subject, query: AnyQuery, args: readonly Key[], former?: Cell): Computed {
    const name = argsKey(args) ? `${query.name}(${args.join(', ')})` : query.name;
    if (this.#frames.some((frame) => frame.name === name)) {
      throw new Error(`query depends on itself: ${[...this.#frames.map((frame) => frame.name), name].join(' -> ')}`);
    }
    const frame = new Frame(name);
    this.#frames.push(frame);
    this.#counts.set(query.name, (this.#counts.get(query.name) ?? 0) + 1);
    this.recomputations.add(query, former?.cause);
    try {
      return this.recomputations.timed(query, () =>
        query.join
          ? computeJoin(this.#joinHost, subject, frame, query.join, args, former?.parts)
          : frame.computed(query.compute(this.#reader(subject) as never, ...args)),
      );
    } catch (error) {
      if (error === NEEDS_SUBJECT) throw error;
      return frame.computed(new Failure(error));
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
    const readers: Pick<Read<Subject>, 'by' | 'get' | 'all' | 'keys' | 'group' | 'fact'> = {
      by: <A extends readonly Key[], V>(query: Query<Subject, A, V>, ...args: A): V => {
        const cell = this.#cell(subject, query, args);
        if (this.#records(query.name)) {
          this.#frame().addStep({ query, args, id: stepId(query.name, args), value: cell.answer });
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
      keys: (source: Source<unknown>) => {
        this.#recordInput(source.name, keysInput(source));
        return this.#snapshot.keys(source);
      },
      group: <V>(index: Index<V>, group: string) => {
        this.#recordInput(index.name, groupInput(index, group));
        return this.#snapshot.group(index, group);
      },
      fact: <A extends readonly Key[], V extends Key>(fact: Fact<Subject, A, V>, ...args: A): V => {
        const id = stepId(fact.name, args);
        const value = this.#answer(subject, fact, args, id);
        if (this.#records(fact.name)) {
          this.#frame().addStep({ fact, args, id, value });
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
      : this.#cell(subject, step.query, step.args).answer;
  }

  /** Those who read a cell depend on it, on the choices that led to it, and on the facts behind all of them. */
  #recordCell(subject: Subject, frame: Frame, cell: Cell): void {
    frame.reads.add(cell);
    for (const step of cell.path) {
      if (step.fact || step.query.answerOf) frame.addStep(step);
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
      for (const further of cell.path) frame.addStep(further);
    }
  }

  #answer(subject: Subject, fact: AnyFact, args: readonly Key[], id: string): Key {
    if (subject === this.#nobody) throw NEEDS_SUBJECT;
    let answers = this.#answers.get(subject);
    if (!answers) this.#answers.set(subject, (answers = new Map()));
    if (answers.has(id)) return answers.get(id);
    const value = (fact.of as (subject: Subject, ...args: readonly Key[]) => Key)(subject, ...args);
    answers.set(id, value);
    return value;
  }
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
