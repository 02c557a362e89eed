import { isDeepStrictEqual } from 'node:util';
import { parseInput } from '@kedge/incremental';
import type { History } from './history.ts';
import { liveStates } from './live.ts';

/** A history with what comes of it while all reads are recorded, and the accessors (sources, indexes, facts, queries) read. */
export interface Example {
  readonly history: History;
  readonly expected: readonly (readonly (readonly string[])[])[];
  readonly accessors: ReadonlySet<string>;
  /** Those of them that changed, or were computed, after the start, with the inputs that led to it. */
  readonly stirred: ReadonlyMap<string, ReadonlySet<string>>;
}

export function exampleOf(history: History): Example {
  const accessors = new Set<string>();
  const stirred = new Map<string, Set<string>>();
  const stir = (accessor: string, input: string): void => {
    const causes = stirred.get(accessor) ?? new Set();
    stirred.set(accessor, causes.add(parseInput(input).source));
  };
  const records = (accessor: string): boolean => Boolean(accessors.add(accessor));
  // At the start everything is new.
  let isStart = true;
  const states = liveStates(history, { records }, ({ memo, changed }) => {
    for (const { query, causes } of memo.recomputations.take()) for (const input of causes.keys()) stir(query, input);
    if (!isStart) for (const input of changed) stir(accessorOf(input), input);
    isStart = false;
  });
  return { history, expected: [...states], accessors, stirred };
}

/** The source or index that an input belongs to. */
function accessorOf(input: string): string {
  const { source, index } = parseInput(input);
  return index === undefined ? source : `${source}.${index}`;
}

/** Whether somebody is led astray if the reads of an accessor are forgotten. */
export function goesWrong({ history, expected }: Example, forgotten: string): boolean {
  let step = 0;
  for (const state of liveStates(history, { records: (accessor) => accessor !== forgotten })) {
    if (!isDeepStrictEqual(state, expected[step++])) return true;
  }
  return false;
}
