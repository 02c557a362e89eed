import { describe, expect, test } from '@jest/globals';
import { addressRange, compareRanges } from './address-range.ts';

describe('addressRange', () => {
  test.each([
    ['10.1.2.3', { addressPrefix: '10.1.2.3', prefixLen: 32 }],
    ['10.0.0.0/8', { addressPrefix: '10.0.0.0', prefixLen: 8 }],
    ['0.0.0.0/0', { addressPrefix: '0.0.0.0', prefixLen: 0 }],
    ['2001:DB8:0:0::1', { addressPrefix: '2001:db8::1', prefixLen: 128 }],
    ['2001:db8::/32', { addressPrefix: '2001:db8::', prefixLen: 32 }],
    ['10.0.0.0/33', undefined],
    ['10.0.0.0/', undefined],
    ['10.0.0.0/8/8', undefined],
    ['10.0.0', undefined],
    ['host', undefined],
    ['', undefined],
  ])('%s', (text, range) => {
    expect(addressRange(text)).toEqual(range);
  });
});

test('ranges sort by address, not by text', () => {
  const sorted = ['2001:db8::1', '::1', '10.0.0.0/16', '9.0.0.0/8', '10.0.0.0/8', '100.0.0.0/8']
    .map(addressRange)
    .filter((range) => range !== undefined)
    .sort(compareRanges);
  expect(sorted.map(({ addressPrefix, prefixLen }) => `${addressPrefix}/${prefixLen}`)).toEqual([
    '9.0.0.0/8',
    '10.0.0.0/8',
    '10.0.0.0/16',
    '100.0.0.0/8',
    '::1/128',
    '2001:db8::1/128',
  ]);
});
