import { expect, test } from '@jest/globals';
import { BodyCache } from './body-cache.ts';

const body = (bytes: number) => ({ chunks: [Buffer.alloc(bytes)], bytes });

test('a body is made once for a key', () => {
  const cache = new BodyCache(100_000);
  const key = {};
  const made = cache.get(key, () => body(10));
  expect(cache.get(key, () => body(10))).toBe(made);
});

test('beyond the bound what was used longest ago is made anew', () => {
  const cache = new BodyCache(3000);
  const [a, b, c] = [{}, {}, {}];
  const first = cache.get(a, () => body(1000));
  const second = cache.get(b, () => body(1000));
  cache.get(a, () => body(1000));
  cache.get(c, () => body(1000));
  expect(cache.bytes).toBeLessThanOrEqual(3000);
  expect(cache.get(a, () => body(1000))).toBe(first);
  expect(cache.get(b, () => body(1000))).not.toBe(second);
});

test('a body larger than the bound is not kept', () => {
  const cache = new BodyCache(100);
  cache.get({}, () => body(1000));
  expect(cache.bytes).toBe(0);
});
