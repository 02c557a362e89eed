import type { Index, Source } from './source.ts';
import { type RowChange, Table } from './table.ts';

/**
 * What of a snapshot a reader looked at: one key of a source, the whole of a source, which keys it has, or one group of an
 * index. The name is unique among all inputs and is what traces and explanations print.
 */
export type InputName = string;

export const keyInput = (source: Source<unknown>, key: string): InputName => `${source.name}[${key}]`;
export const allInput = (source: Source<unknown>): InputName => `${source.name}[*]`;
export const keysInput = (source: Source<unknown>): InputName => `${source.name}[#]`;
export const groupInput = (index: Index<unknown>, group: string): InputName => `${index.name}(${group})`;

interface SourceState {
  readonly table: Table<unknown>;
  /** By group. Carried forward by every edit; one defined later than the snapshot is built when first read. */
  readonly indexes: Map<Index<unknown>, Groups>;
}

/** What stands in each group of an index, by the group's name; tables too, so that a change doesn't cost what all groups do. */
type Groups = Table<Table<unknown>>;

const emptyState = (): SourceState => ({ table: Table.empty(), indexes: new Map() });

/** All input values at one moment. Never changes; an edit makes a new one, which shares all that the edit didn't touch. */
export class Snapshot {
  readonly #states: ReadonlyMap<Source<unknown>, SourceState>;

  private constructor(states: ReadonlyMap<Source<unknown>, SourceState>) {
    this.#states = states;
  }

  static readonly empty = new Snapshot(new Map());

  get<V>(source: Source<V>, key: string): V | undefined {
    return this.#states.get(source)?.table.get(key) as V | undefined;
  }

  /** Every value of a source, sorted by key. */
  all<V>(source: Source<V>): readonly V[] {
    return (this.#states.get(source)?.table.values ?? []) as readonly V[];
  }

  /** Every key of a source, sorted. */
  keys(source: Source<unknown>): readonly string[] {
    return this.#states.get(source)?.table.keys ?? [];
  }

  /** The values of one group of an index, sorted by key. */
  group<V>(index: Index<V>, group: string): readonly V[] {
    const state = this.#states.get(index.source);
    if (!state) return [];
    let groups = state.indexes.get(index);
    if (!groups) {
      groups = buildIndex(index, state.table as Table<V>);
      state.indexes.set(index, groups);
    }
    return (groups.get(group)?.values ?? []) as readonly V[];
  }

  edit(): SnapshotEdit {
    return new SnapshotEdit(this.#states, (states) => new Snapshot(states));
  }
}

/** The outcome of an edit: the new snapshot and the inputs which read differently in it. */
export interface Commit {
  readonly snapshot: Snapshot;
  readonly changed: readonly InputName[];
}

/** Collects changes against a snapshot. A value that equals the old one is no change. */
export class SnapshotEdit {
  readonly #base: ReadonlyMap<Source<unknown>, SourceState>;
  readonly #make: (states: ReadonlyMap<Source<unknown>, SourceState>) => Snapshot;
  readonly #changes = new Map<Source<unknown>, Map<string, unknown>>();

  constructor(
    base: ReadonlyMap<Source<unknown>, SourceState>,
    make: (states: ReadonlyMap<Source<unknown>, SourceState>) => Snapshot,
  ) {
    this.#base = base;
    this.#make = make;
  }

  /** Sets a value; `undefined` takes it away. */
  set<V>(source: Source<V>, key: string, value: V | undefined): this {
    let changes = this.#changes.get(source);
    if (!changes) this.#changes.set(source, (changes = new Map()));
    changes.set(key, value);
    return this;
  }

  commit(): Commit {
    const states = new Map(this.#base);
    const changed = new Set<InputName>();
    for (const [source, changes] of this.#changes) {
      const next = applyChanges(source, states.get(source) ?? emptyState(), changes, changed);
      if (next) states.set(source, next);
    }
    return { snapshot: this.#make(states), changed: [...changed] };
  }
}

function applyChanges(
  source: Source<unknown>,
  state: SourceState,
  changes: ReadonlyMap<string, unknown>,
  changed: Set<InputName>,
): SourceState | undefined {
  const rows: (RowChange<unknown> & { readonly old: unknown })[] = [];
  for (const [key, value] of changes) {
    const old = state.table.get(key);
    if (old === undefined ? value === undefined : value !== undefined && source.equals(old, value)) continue;
    rows.push({ key, value, old });
    changed.add(keyInput(source, key));
  }
  if (rows.length === 0) return undefined;
  changed.add(allInput(source));
  if (rows.some(({ old, value }) => old === undefined || value === undefined)) changed.add(keysInput(source));
  const indexes = new Map<Index<unknown>, Groups>();
  for (const index of source.indexes) {
    indexes.set(index, updateIndex(index, state.indexes.get(index) ?? buildIndex(index, state.table), rows, changed));
  }
  return { table: state.table.with(rows), indexes };
}

function buildIndex<V>(index: Index<V>, table: Table<V>): Groups {
  const perGroup = new Map<string, RowChange<V>[]>();
  table.keys.forEach((key, at) => {
    const value = table.values[at] as V;
    for (const group of new Set(index.groupsOf(value, key))) {
      const rows = perGroup.get(group);
      if (rows) rows.push({ key, value });
      else perGroup.set(group, [{ key, value }]);
    }
  });
  const groups = Array.from(perGroup, ([key, rows]) => ({ key, value: Table.empty<unknown>().with(rows) }));
  return Table.empty<Table<unknown>>().with(groups);
}

function updateIndex(
  index: Index<unknown>,
  groups: Groups,
  rows: readonly (RowChange<unknown> & { readonly old: unknown })[],
  changed: Set<InputName>,
): Groups {
  const perGroup = new Map<string, Map<string, RowChange<unknown>>>();
  const touch = (group: string, row: RowChange<unknown>): void => {
    let list = perGroup.get(group);
    if (!list) perGroup.set(group, (list = new Map()));
    list.set(row.key, row);
  };
  for (const { key, value, old } of rows) {
    if (old !== undefined) for (const group of index.groupsOf(old, key)) touch(group, { key, value: undefined });
    if (value !== undefined) for (const group of index.groupsOf(value, key)) touch(group, { key, value });
  }
  const regrouped = Array.from(perGroup, ([key, list]) => {
    const table = (groups.get(key) ?? Table.empty<unknown>()).with([...list.values()]);
    changed.add(groupInput(index, key));
    return { key, value: table.size === 0 ? undefined : table };
  });
  return groups.with(regrouped);
}
