import { expect, test } from '@jest/globals';
import { fromValue } from '../value/convert.ts';
import { decodeYaml } from './decode.ts';

test.each([
  ['a: |\n  b\n', 'b\n'],
  ['a: |\n  b', 'b'],
  ['a: >\n  b\n   c', 'b\n c'],
  ['a: |+\n  b', 'b'],
  ['a: |+\n  b\n\n', 'b\n\n'],
  ['a: |\n  b\n ', 'b\n'],
  ['a: |\n  b\n  # c', 'b\n# c'],
  ['a: |', ''],
])('of %j the block ends as the text does', (text, expected) => {
  expect(fromValue(decodeYaml(text))).toEqual({ a: expected });
});
