import { expect, test } from '@jest/globals';
import { mergedByName } from './merged-by-name.ts';

const list = (names: string, from: string) => names.split('').map((name) => ({ name, from }));
const merged = (many: string, few: string): string =>
  mergedByName(list(many, '1'), list(few, '2'))
    .map(({ name, from }) => name + from)
    .join(' ');

test.each([
  ['bdf', 'e', 'b1 d1 e2 f1'],
  ['bdf', 'ga', 'a2 b1 d1 f1 g2'],
  ['bdf', 'cca', 'a2 b1 c2 d1 f1'],
  ['bdf', 'dbc', 'b1 c2 d1 f1'],
  ['', 'ba', 'a2 b2'],
])('%s and %s are %s', (many, few, expected) => {
  expect(merged(many, few)).toBe(expected);
});

test('a list that nothing is added to stays what it is', () => {
  const many = list('abc', '1');
  expect(mergedByName(many, list('b', '2'))).toBe(many);
});
