import { expect, test } from '@jest/globals';
import { type Debounced, Debouncer } from './debounce.ts';
import { FakeClock } from './testing/fake-clock.ts';

function setUp() {
  const clock = new FakeClock();
  const pushed: Debounced<string>[] = [];
  const immediate = (request: string) => request.startsWith('!');
  const debouncer = new Debouncer<string>(
    { afterMs: 100, maxMs: 1_000, immediate },
    (earlier, later) => earlier + later,
    (debounced) => pushed.push(debounced),
    clock,
  );
  return { clock, pushed, debouncer };
}

test('a request is pushed once it has been quiet', () => {
  const { clock, pushed, debouncer } = setUp();
  const since = clock.now();
  debouncer.add('a');
  clock.advance(60);
  debouncer.add('b');
  clock.advance(99);
  expect(pushed).toEqual([]);
  clock.advance(1);
  expect(pushed).toEqual([{ request: 'ab', merged: 2, since, quietMs: 100 }]);
});

test('unending requests are pushed after the maximum', () => {
  const { clock, pushed, debouncer } = setUp();
  for (let index = 0; index < 40; index += 1) {
    debouncer.add('x');
    clock.advance(50);
  }
  expect(pushed.map(({ merged }) => merged)).toEqual([20, 20]);
});

test('what needs no waiting goes at once, alone', () => {
  const { clock, pushed, debouncer } = setUp();
  debouncer.add('a');
  debouncer.add('!');
  expect(pushed.map(({ request }) => request)).toEqual(['!']);
  clock.advance(100);
  expect(pushed.map(({ request }) => request)).toEqual(['!', 'a']);
});

test('nothing is pushed after the end', () => {
  const { clock, pushed, debouncer } = setUp();
  debouncer.add('a');
  debouncer[Symbol.dispose]();
  clock.advance(1_000);
  expect(pushed).toEqual([]);
  expect(clock.timers).toBe(0);
});
