import { expect, test } from '@jest/globals';
import { BufferPool } from './buffer-pool.ts';

test('a buffer is lent again once it is given back, to whoever it is large enough for', () => {
  const pool = new BufferPool();
  const first = pool.take(70_000);
  expect(first.length).toBe(131_072);
  expect(pool.take(10)).not.toBe(first);
  pool.give(first);
  expect(pool.take(200_000)).not.toBe(first);
  expect(pool.take(100_000)).toBe(first);
});

test('what lies idle is bounded', () => {
  const pool = new BufferPool();
  const lent = Array.from({ length: 200 }, () => pool.take(64 * 1024));
  for (const buffer of lent) pool.give(buffer);
  const again = Array.from({ length: 200 }, () => pool.take(64 * 1024));
  expect(again.filter((buffer) => lent.includes(buffer))).toHaveLength(64);
});
