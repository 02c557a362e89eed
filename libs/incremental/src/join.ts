import type { Cell, Computed, InputNode, PartItem, Parts, Step } from './cell.ts';
import { answerIn, Failure, Frame, samePath, valueOf } from './frame.ts';
import type { AnyQuery, Key } from './query.ts';

/** What joins need of the memo. */
export interface JoinHost<Subject> {
  /** The cell of a query for a subject, up to date. */
  cell(subject: Subject, query: AnyQuery, args: readonly Key[]): Cell;
  /** Notes in a frame what reading a cell means. */
  record(subject: Subject, frame: Frame, cell: Cell): void;
  records(query: AnyQuery): boolean;
  nextMark(): number;
}

/** The values of a join's items where its keys, and what leads to each item, are as before; otherwise undefined. */
export function currentValues<Subject>(
  host: JoinHost<Subject>,
  subject: Subject,
  { keys, keyList, items }: Parts,
): readonly unknown[] | undefined {
  if (keys.state !== 'clean') host.cell(subject, keys.query, keys.args);
  if (keys.state !== 'clean' || keys.value !== keyList || keyList.length !== items.size) return undefined;
  const values: unknown[] = [];
  for (const item of items.values()) {
    if (!isCurrent(host, subject, item) || item.cell.value instanceof Failure) return undefined;
    values.push(item.cell.value);
  }
  return values;
}

/** Computes a join as its `compute` would, but takes over those of its former items that are still current. */
export function computeJoin<Subject>(
  host: JoinHost<Subject>,
  subject: Subject,
  frame: Frame,
  join: NonNullable<AnyQuery['join']>,
  args: readonly Key[],
  former: Parts | undefined,
): Computed {
  const keys = host.cell(subject, join.keys, args);
  if (host.records(join.keys)) host.record(subject, frame, keys);
  const keyList = valueOf(keys) as readonly string[];
  const items = new Map<string, PartItem>();
  let likely: readonly Step[] = [];
  for (const key of keyList) {
    const known = former?.items.get(key);
    const item = known && isCurrent(host, subject, known) ? known : makeItem(host, subject, join.item, key, likely);
    items.set(key, item);
    likely = item.path;
  }
  const reads = readsOf(frame, host.records(join.item) ? items.values() : [], host.nextMark());
  const values = keyList.map((key) => items.get(key)?.cell.value);
  const failure = values.find((value) => value instanceof Failure);
  if (failure) return { value: failure, path: frame.path, reads };
  return { value: join.combine(values), path: frame.path, reads, parts: { keys, keyList, items } };
}

/** Whether an item's cell, brought up to date, is still the one that the subject is led to. */
function isCurrent<Subject>(host: JoinHost<Subject>, subject: Subject, { cell, choices, answers }: PartItem): boolean {
  for (let at = 0; at < choices.length; at++) {
    const choice = choices[at] as Cell;
    if (choice.state !== 'clean') host.cell(subject, choice.query, choice.args);
    if (choice.state !== 'clean' || answerIn(choice) !== answers[at]) return false;
  }
  if (cell.state !== 'clean') host.cell(subject, cell.query, cell.args);
  return cell.state === 'clean';
}

/** @param likely a path that the item's may equal, and then shares. */
function makeItem<Subject>(
  host: JoinHost<Subject>,
  subject: Subject,
  query: AnyQuery,
  key: string,
  likely: readonly Step[],
): PartItem {
  const cell = host.cell(subject, query, [key]);
  const frame = new Frame(query.name);
  host.record(subject, frame, cell);
  frame.reads.delete(cell);
  // What is recorded beside the cell itself are the cells of choices.
  const choices = [...frame.reads] as Cell[];
  const path = samePath(frame.path, likely) ? likely : frame.path;
  return { cell, choices, answers: choices.map(answerIn), path };
}

/** What a join reads: what its frame has, and all of its items, each once. */
function readsOf(frame: Frame, items: Iterable<PartItem>, mark: number): readonly (InputNode | Cell)[] {
  const reads = [...frame.reads];
  for (const read of reads) read.mark = mark;
  const add = (cell: Cell): void => {
    if (cell.mark === mark) return;
    cell.mark = mark;
    reads.push(cell);
  };
  let lastPath: readonly Step[] = [];
  for (const { cell, choices, path } of items) {
    add(cell);
    for (const choice of choices) add(choice);
    if (path !== lastPath) for (const step of path) frame.addStep(step);
    lastPath = path;
  }
  return reads;
}
