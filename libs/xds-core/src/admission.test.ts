import { expect, test } from '@jest/globals';
import { Admission } from './admission.ts';
import { FakeClock } from './testing/fake-clock.ts';

test('streams enter one a turn, in their order', () => {
  const clock = new FakeClock();
  const admission = new Admission(Infinity, clock);
  const entered: number[] = [];
  for (const index of [1, 2, 3]) admission.enter(() => entered.push(index));
  expect(entered).toEqual([]);
  clock.settle();
  expect(entered).toEqual([1, 2, 3]);
});

test('not more than so many a second, after a burst of one second', () => {
  const clock = new FakeClock();
  const admission = new Admission(10, clock);
  let entered = 0;
  clock.advance(5_000);
  for (let index = 0; index < 100; index += 1) admission.enter(() => (entered += 1));
  clock.settle();
  expect(entered).toBeLessThanOrEqual(11);
  clock.advance(2_000);
  expect(entered).toBeGreaterThanOrEqual(20);
  expect(entered).toBeLessThanOrEqual(31);
  clock.advance(8_000);
  expect(entered).toBe(100);
});

test('nobody enters after the end', () => {
  const clock = new FakeClock();
  const admission = new Admission(Infinity, clock);
  let entered = 0;
  admission.enter(() => (entered += 1));
  admission[Symbol.dispose]();
  clock.settle();
  expect(entered).toBe(0);
});
