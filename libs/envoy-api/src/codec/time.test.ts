import { describe, expect, test } from '@jest/globals';
import { formatDuration, formatTimestamp, parseDuration, parseTimestamp } from './time.ts';

describe('durations', () => {
  test.each([
    ['0s', 0, 0],
    ['1.5s', 1, 500_000_000],
    ['-0.25s', 0, -250_000_000],
    ['315576000000s', 315_576_000_000, 0],
    ['0.000000001s', 0, 1],
  ])('%s', (text, seconds, nanos) => {
    expect(parseDuration(text)).toEqual({ seconds, nanos });
  });

  test.each(['1', '1m', '1.s', '.5s', '1.0000000001s', '315576000001s', ' 1s', ''])('%j is none', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  test.each([
    [1, 500_000_000, '1.500s'],
    [0, 1_000, '0.000001s'],
    [0, 1, '0.000000001s'],
    [0, -250_000_000, '-0.250s'],
    [3, 0, '3s'],
  ])('%d s and %d ns are written as %3$s', (seconds, nanos, text) => {
    expect(formatDuration({ seconds, nanos })).toBe(text);
  });
});

describe('timestamps', () => {
  test('with a zone are read, and written in UTC', () => {
    const time = parseTimestamp('2024-01-01T01:00:00.5+01:00');
    expect(time).toEqual({ seconds: 1_704_067_200, nanos: 500_000_000 });
    expect(time && formatTimestamp(time)).toBe('2024-01-01T00:00:00.500Z');
  });

  test.each(['2024-01-01', '2024-13-01T00:00:00Z', 'now'])('%j is none', (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });
});
