import { incrementalEqualsFull } from './incremental.ts';
import { invalidDocuments, invalidObjects } from './invalid-objects.ts';
import type { Invariant } from './invariant.ts';
import { memory } from './memory.ts';
import { noOp } from './no-op.ts';
import { outOfScope, privateObjects } from './out-of-sight.ts';
import { anyOrder, removal, twice } from './same-bytes.ts';
import { clientsHoldTheSame } from './served.ts';
import { silentEvents, silentOutOfScope } from './silence.ts';
import { unrelatedHosts } from './unrelated.ts';

export const invariants: readonly Invariant[] = [
  anyOrder,
  twice,
  removal,
  incrementalEqualsFull,
  clientsHoldTheSame,
  noOp,
  memory,
  invalidDocuments,
  invalidObjects,
  privateObjects,
  outOfScope,
  silentEvents,
  silentOutOfScope,
  unrelatedHosts,
];
