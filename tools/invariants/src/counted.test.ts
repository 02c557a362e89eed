import { expect, test } from '@jest/globals';
import { answer } from '@kedge/networking';
import fc from 'fast-check';
import { CountedQueries } from './counted.ts';
import { anyHistory } from './history.ts';
import { liveStates } from './live.ts';

test('what the memo counts as computed is what was computed, by wrappers round all queries', () => {
  let compared = 0;
  for (const history of fc.sample(anyHistory, { seed: 4, numRuns: 20 })) {
    using wrappers = new CountedQueries(answer);
    const states = liveStates(history, {}, ({ memo }) => {
      const own = [...memo.computeCounts].filter(([name]) => !wrappers.joins.has(name)).sort();
      expect(own).toEqual([...wrappers.counts].filter(([name]) => !wrappers.joins.has(name)).sort());
      compared += own.length;
    });
    for (const _state of states);
  }
  expect(compared).toBeGreaterThan(1000);
});
