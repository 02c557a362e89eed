import { expect, test } from '@jest/globals';
import { PushScheduler } from './push-scheduler.ts';
import { FakeClock } from './testing/fake-clock.ts';

/** A connection whose stream is full after each push while it is slow. */
interface Target {
  readonly name: string;
  slow: boolean;
  full: boolean;
}

function setUp(limit: number) {
  const clock = new FakeClock();
  const pushed: string[] = [];
  const scheduler = new PushScheduler<Target, string>({
    limit,
    slowMs: 100,
    clock,
    merge: (earlier, later) => earlier + later,
    push: (target, push) => {
      pushed.push(`${target.name}${push}`);
      target.full = target.slow;
    },
  });
  const targets = ['a', 'b', 'c', 'd'].map((name): Target => ({ name, slow: false, full: false }));
  return { clock, pushed, scheduler, targets };
}

test('no more connections than the limit have unsent bytes, until one drains', () => {
  const { clock, pushed, scheduler, targets } = setUp(2);
  for (const target of targets) {
    target.slow = true;
    scheduler.enqueue(target, '1');
  }
  clock.settle();
  expect(pushed).toEqual(['a1', 'b1']);
  const [a] = targets as [Target];
  a.full = false;
  scheduler.drained(a);
  clock.settle();
  expect(pushed).toEqual(['a1', 'b1', 'c1']);
});

test('a slow connection counts only so long, and is not pushed again before it drains', () => {
  const { clock, pushed, scheduler, targets } = setUp(1);
  const [a, b] = targets as [Target, Target];
  a.slow = true;
  scheduler.enqueue(a, '1');
  scheduler.enqueue(b, '1');
  clock.settle();
  expect(pushed).toEqual(['a1']);
  clock.advance(100);
  expect(pushed).toEqual(['a1', 'b1']);
  scheduler.enqueue(a, '2');
  clock.settle();
  scheduler.enqueue(a, '3');
  scheduler.enqueue(b, '2');
  clock.advance(1);
  expect(pushed).toEqual(['a1', 'b1', 'b2']);
  a.full = false;
  a.slow = false;
  scheduler.drained(a);
  clock.settle();
  expect(pushed).toEqual(['a1', 'b1', 'b2', 'a23']);
});

test('a connection that is gone frees its place', () => {
  const { clock, pushed, scheduler, targets } = setUp(1);
  const [a, b] = targets as [Target, Target];
  a.slow = true;
  scheduler.enqueue(a, '1');
  scheduler.enqueue(b, '1');
  clock.settle();
  scheduler.remove(a);
  clock.settle();
  expect(pushed).toEqual(['a1', 'b1']);
  expect(clock.timers).toBe(0);
});
