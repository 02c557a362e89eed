import { expect, test } from '@jest/globals';
import { parseTimeout } from './timeout.ts';

test.each([
  ['1H', 3_600_000],
  ['2M', 120_000],
  ['3S', 3000],
  ['100m', 100],
  ['1500u', 2],
  ['1n', 1],
  ['0S', 0],
  ['99999999H', 2 ** 31 - 1],
  ['123456789m', undefined],
  ['1s', undefined],
  ['-1S', undefined],
  ['', undefined],
])('%s is %s ms', (header, expected) => expect(parseTimeout(header)).toBe(expected));
