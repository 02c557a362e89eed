import type { Cell, Computed, InputNode, PartItem, Parts, Step } from './cell.ts';
import { Failure } from './failure.ts';
import { Frame, samePath, valueOf } from './frame.ts';
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

/**
 * The parts of a join brought up to date, where its keys and what leads to each item are as before; otherwise undefined. Only
 * items that may have changed are looked at.
 */
export function currentParts<Subject>(host: JoinHost<Subject>, subject: Subject, parts: Parts): Parts | undefined {
  const { keys, keyList, items } = parts;
  if (keys.state !== 'clean') host.cell(subject, keys.query, keys.args);
  if (keys.state !== 'clean' || keys.value !== keyList) return undefined;
  const values = parts.values.slice();
  let changed = false;
  for (const at of suspectItems(parts, host.nextMark())) {
    const { cell } = items[at] as PartItem;
    if (!isCurrent(host, subject, items[at] as PartItem) || cell.value instanceof Failure) return undefined;
    if (values[at] === cell.value) continue;
    values[at] = cell.value;
    changed = true;
  }
  return { ...parts, values: changed ? values : parts.values, suspects: new Set() };
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
  const known = former ? currentItems(host, subject, former, keyList) : [];
  let likely: readonly Step[] = [];
  const items = keyList.map((key, at) => {
    const item = known[at] ?? makeItem(host, subject, join.item, key, likely);
    likely = item.path;
    return item;
  });
  const reads = readsOf(frame, host.records(join.item) ? items : [], host.nextMark());
  const values = items.map(({ cell }) => cell.value);
  const failure = values.find((value) => value instanceof Failure);
  if (failure) return { value: failure, path: frame.path, reads };
  const parts = { keys, keyList, items, values, suspects: new Set<InputNode | Cell>() };
  return { value: join.combine(values), path: frame.path, reads, parts };
}

/** The positions of items that may have changed, ascending. They are many and the suspects few: it is those that are marked. */
function suspectItems({ items, suspects }: Parts, mark: number): readonly number[] {
  for (const suspect of suspects) suspect.mark = mark;
  const found: number[] = [];
  for (let at = 0; at < items.length; at++) {
    const { cell, choices } = items[at] as PartItem;
    if (cell.mark === mark || choices.some((choice) => choice.mark === mark)) found.push(at);
  }
  return found;
}

/** For each key the former item, where there is one that is still current. */
function currentItems<Subject>(
  host: JoinHost<Subject>,
  subject: Subject,
  former: Parts,
  keyList: readonly string[],
): readonly (PartItem | undefined)[] {
  const items: (PartItem | undefined)[] = [...former.items];
  for (const at of suspectItems(former, host.nextMark())) {
    if (!isCurrent(host, subject, items[at] as PartItem)) items[at] = undefined;
  }
  if (keyList === former.keyList) return items;
  const byKey = new Map(former.keyList.map((key, at) => [key, items[at]]));
  return keyList.map((key) => byKey.get(key));
}

/** Whether an item's cell, brought up to date, is still the one that the subject is led to. */
function isCurrent<Subject>(host: JoinHost<Subject>, subject: Subject, { cell, choices, answers }: PartItem): boolean {
  for (let at = 0; at < choices.length; at++) {
    const choice = choices[at] as Cell;
    if (choice.state !== 'clean') host.cell(subject, choice.query, choice.args);
    if (choice.state !== 'clean' || choice.answer !== answers[at]) return false;
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
  if (cell.item && isLedTo(host, subject, cell.item)) return cell.item;
  const frame = new Frame(query.name);
  host.record(subject, frame, cell);
  frame.reads.delete(cell);
  // What is recorded beside the cell itself are the cells of choices.
  const choices = [...frame.reads] as Cell[];
  const path = samePath(frame.path, likely) ? likely : frame.path;
  cell.item = { cell, choices, answers: choices.map(({ answer }) => answer), path };
  return cell.item;
}

/** Whether a subject comes to the cell by the choices by which another one came to it. */
function isLedTo<Subject>(host: JoinHost<Subject>, subject: Subject, { choices, answers }: PartItem): boolean {
  return choices.every(
    (choice, at) => host.cell(subject, choice.query, choice.args) === choice && choice.answer === answers[at],
  );
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
