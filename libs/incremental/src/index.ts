export { DisposableStore } from './disposable-store.ts';
export { type Derivation, derivations, type FactAnswer, parseInput } from './explain.ts';
export { type ComputeCounts, Memo, type MemoOptions } from './memo.ts';
export { assembly, derivedFact, type Fact, fact, join, type Key, type Query, query, type Read } from './query.ts';
export type { Recomputation } from './recomputations.ts';
export { type Commit, type InputName, Snapshot, type SnapshotEdit } from './snapshot.ts';
export { type Equality, type Index, index, type Source, source } from './source.ts';
export { Table } from './table.ts';
export type { Watch } from './watch.ts';
