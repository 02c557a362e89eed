import { expect, test } from '@jest/globals';
import { PushQueue } from './push-queue.ts';

const queue = () => new PushQueue<string, string>((earlier, later) => earlier + later);

test('connections come in their order, each with all that was meant for it', () => {
  const pushes = queue();
  expect(pushes.enqueue('a', '1')).toBe(false);
  expect(pushes.enqueue('b', '1')).toBe(false);
  expect(pushes.enqueue('a', '2')).toBe(true);
  expect(pushes.size).toBe(2);
  expect([pushes.dequeue(), pushes.dequeue(), pushes.dequeue()]).toEqual([['a', '12'], ['b', '1'], undefined]);
});

test('what comes for a connection that is being pushed waits until that is done', () => {
  const pushes = queue();
  pushes.enqueue('a', '1');
  pushes.dequeue();
  pushes.enqueue('a', '2');
  expect(pushes.enqueue('a', '3')).toBe(true);
  expect(pushes.dequeue()).toBeUndefined();
  pushes.done('a');
  expect(pushes.dequeue()).toEqual(['a', '23']);
  pushes.done('a');
  expect(pushes.dequeue()).toBeUndefined();
});

test('what waits can be taken out of turn, pending or behind a push', () => {
  const pushes = queue();
  pushes.enqueue('a', '1');
  expect(pushes.take('a')).toBe('1');
  expect(pushes.size).toBe(0);
  pushes.enqueue('a', '2');
  pushes.dequeue();
  pushes.enqueue('a', '3');
  expect(pushes.take('a')).toBe('3');
  pushes.done('a');
  expect(pushes.dequeue()).toBeUndefined();
});

test('a connection that is gone is forgotten', () => {
  const pushes = queue();
  pushes.enqueue('a', '1');
  pushes.dequeue();
  pushes.enqueue('a', '2');
  pushes.remove('a');
  pushes.done('a');
  expect(pushes.size).toBe(0);
});
