import { expect, test } from '@jest/globals';
import { DisposableStore } from './disposable-store.ts';

test('disposes in reverse order, once, and goes on after an error', () => {
  const order: string[] = [];
  const store = new DisposableStore();
  store.defer(() => order.push('first'));
  store.defer(() => {
    throw new Error('broken');
  });
  const released = store.defer(() => order.push('released'));
  store.defer(() => order.push('last'));
  store.release(released);
  expect(() => store[Symbol.dispose]()).toThrow(AggregateError);
  store[Symbol.dispose]();
  expect(order).toEqual(['released', 'last', 'first']);
  store.defer(() => order.push('late'));
  expect(order.at(-1)).toBe('late');
});
