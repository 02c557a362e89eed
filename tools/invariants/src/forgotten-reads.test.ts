import { expect, test } from '@jest/globals';
import { ForgottenReads } from './forgotten-reads.ts';
import { NOTICED } from './noticed.ts';

const search = new ForgottenReads({ seed: 9, numRuns: 50, tries: 10, families: 2, directed: 2 });
const { accessors } = search;
const listed = accessors.filter((accessor) => NOTICED.has(accessor));

test('accessors are found by watching, and the list has not gone out of use', () => {
  expect(accessors.length).toBeGreaterThan(280);
  expect(listed.length).toBeGreaterThan(0.9 * NOTICED.size);
});

test.each(listed)(
  'a forgotten read would be noticed: %s',
  (accessor) => {
    expect(search.noticed(accessor)).toBeDefined();
  },
  300_000,
);
