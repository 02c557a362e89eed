import { expect, test } from '@jest/globals';
import { SubscriptionPool } from './subscription.ts';

const pool = new SubscriptionPool();

test('equal subscriptions are one object, whatever the order of names', () => {
  expect(pool.of(['b', 'a', 'b'])).toBe(pool.of(['a', 'b']));
  expect(pool.of(['a', 'b']).names).toEqual(['a', 'b']);
  expect(pool.of(['a', 'b'])).not.toBe(pool.of(['a\0b']));
  expect(pool.of(['*'])).toBe(pool.all);
  expect(pool.of([])).toBe(pool.none);
});

test('an asterisk stands for everything, beside names', () => {
  const both = pool.of(['*', 'a']);
  expect(both.wildcard).toBe(true);
  expect(both.names).toEqual(['a']);
  expect([both.has('a'), both.has('b'), both.includes('b')]).toEqual([true, false, true]);
});

test.each([
  [['a'], ['b'], [], ['a', 'b']],
  [['a', 'b'], [], ['a', 'c'], ['b']],
  [['*'], ['a'], [], ['*', 'a']],
  [['*', 'a'], [], ['*'], ['a']],
  [['a'], ['*'], ['*'], ['a']],
  [['a'], [], ['a'], []],
])('%j with %j and without %j is %j', (from, added, taken, expected) => {
  expect(pool.change(pool.of(from), added, taken)).toBe(pool.of(expected));
});

test.each([
  [['b', 'a'], true],
  [['a', 'a'], false],
  [['a'], false],
  [['a', 'c'], false],
])('whether %j are the names a and b: %s', (names, expected) => {
  expect(pool.of(['a', 'b']).isTo(names)).toBe(expected);
});

test('the same step leads to the same subscription, whatever steps are taken between', () => {
  const from = pool.of(['a']);
  const next = pool.change(from, ['b'], []);
  for (let other = 0; other < 20; other += 1) {
    expect(pool.change(from, [`c${other}`], []).names).toEqual(['a', `c${other}`]);
    expect(pool.change(from, ['b'], [])).toBe(next);
  }
  expect(pool.change(from, ['b'], ['a']).names).toEqual(['b']);
});

test('the names beyond a former subscription are found once', () => {
  const [former, next] = [pool.of(['a', 'b']), pool.of(['c', 'b', 'd'])];
  expect(next.beyond(former)).toEqual(['c', 'd']);
  expect(next.beyond(former)).toBe(next.beyond(former));
  expect(next.beyond(pool.none)).toEqual(['b', 'c', 'd']);
});
