import { incrementalEqualsFull } from './incremental.ts';
import type { Invariant } from './invariant.ts';
import { memory } from './memory.ts';
import { noOp } from './no-op.ts';
import { anyOrder, removal, twice } from './same-bytes.ts';

export const invariants: readonly Invariant[] = [anyOrder, twice, removal, incrementalEqualsFull, noOp, memory];
