import { anyHistory } from '../history.ts';
import { freshStates, liveStates } from '../live.ts';
import { expectSame, invariant } from './invariant.ts';

export const incrementalEqualsFull = invariant(
  'after whatever happened, connected proxies hold what a fresh server would give them',
  200,
  anyHistory,
  (history) => {
    const fresh = freshStates(history);
    let step = 0;
    for (const live of liveStates(history)) {
      expectSame(history.proxies, live, fresh.next().value ?? [], `after step ${step++}`);
    }
  },
);
