import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatDuration, parseDuration } from './duration.ts';

describe('durations', () => {
  test.each([
    ['10s', 10_000],
    ['1.5s', 1500],
    ['100ms', 100],
    ['1h1m', 3_660_000],
    ['1m30.5s', 90_500],
    ['.5s', 500],
    ['250us', 0.25],
    ['250µs', 0.25],
    ['0', 0],
    ['-2s', -2000],
    ['+2s', 2000],
  ])('%s is %d ms', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  test.each(['', '5', 's', '1', '1 s', '1s ', '1d', '--1s', '1.s5', 'apple', '1s500'])('%j is none', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  test.each([
    [10_000, '10s'],
    [1500, '1.500s'],
    [0, '0s'],
    [0.001, '0.000001s'],
    [-1500, '-1.500s'],
    [3_660_000, '3660s'],
  ])('%d ms is written %s', (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });

  test('what is written is read back', () => {
    fc.assert(
      fc.property(fc.integer({ min: -(10 ** 12), max: 10 ** 12 }), (microseconds) => {
        const milliseconds = microseconds / 1000;
        expect(parseDuration(formatDuration(milliseconds))).toBeCloseTo(milliseconds, 4);
      }),
    );
  });
});
