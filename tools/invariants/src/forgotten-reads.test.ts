import { expect, test } from '@jest/globals';
import { ForgottenReads } from './forgotten-reads.ts';
import { REDUNDANT } from './unnoticed.ts';

const search = new ForgottenReads({ seed: 9, numRuns: 50, tries: 10, families: 2, directed: 2 });
const { accessors } = search;

test('accessors are found by watching', () => {
  expect(accessors.length).toBeGreaterThan(280);
  expect(accessors).toEqual(expect.arrayContaining(Object.keys(REDUNDANT)));
});

test.each(accessors.filter((accessor) => !(accessor in REDUNDANT)))(
  'a forgotten read would be noticed: %s',
  (accessor) => {
    expect(search.noticed(accessor)).toBeDefined();
    expect(search.redundant(accessor)).toBe(false);
  },
  300_000,
);

test.each(Object.keys(REDUNDANT))('a forgotten read does no harm: %s', (accessor) => {
  expect(search.redundant(accessor)).toBe(true);
});
