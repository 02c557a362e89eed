import { expect, test } from '@jest/globals';
import { effects, effectText } from './effects.ts';

test('every kind of object and of settings changes some proxy in at least 5% of the edits', () => {
  const counted = effects({ seed: 3, numRuns: 40 });
  const rare = counted.filter(({ edits, effective }) => effective < 0.05 * edits).map(effectText);
  expect(rare).toEqual([]);
}, 300_000);
