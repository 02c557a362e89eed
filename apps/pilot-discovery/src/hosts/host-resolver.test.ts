import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { HostResolver } from './host-resolver.ts';
import type { HostAnswer } from './lookup.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A resolver whose servers answer what the test says, and what it told. */
function resolverOf(answers: Record<string, readonly string[] | Error>, ttlMs = 60_000) {
  const told: string[] = [];
  const asked: string[] = [];
  const resolver = new HostResolver({
    lookup: (host): Promise<HostAnswer> => {
      asked.push(host);
      const answer = answers[host] ?? [];
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve({ addresses: answer, ttlMs });
    },
    changed: (host, addresses) => told.push(`${host}=${addresses ?? 'left'}`),
    unresolved: (host, error) => told.push(`${host}: ${error ?? 'nothing'}`),
  });
  return { resolver, told, asked, answers };
}

test('addresses are asked for again when their lifetime is over, and told when they changed', async () => {
  const { resolver, told, asked, answers } = resolverOf({ a: ['10.0.0.1'] });
  using _ = resolver;
  resolver.follow(['a']);
  await resolver.settled();
  expect(told).toEqual(['a=10.0.0.1']);

  await jest.advanceTimersByTimeAsync(59_999);
  expect(asked).toHaveLength(1);
  await jest.advanceTimersByTimeAsync(1);
  expect(asked).toHaveLength(2);
  expect(told).toHaveLength(1);

  answers['a'] = ['10.0.0.2'];
  await jest.advanceTimersByTimeAsync(60_000);
  expect(told).toEqual(['a=10.0.0.1', 'a=10.0.0.2']);
});

test('while servers fail the last addresses stay, and they are asked again after half a minute', async () => {
  const { resolver, told, answers } = resolverOf({ a: ['10.0.0.1'] });
  using _ = resolver;
  resolver.follow(['a']);
  await resolver.settled();
  answers['a'] = new Error('SERVFAIL');
  await jest.advanceTimersByTimeAsync(60_000);
  expect(told).toEqual(['a=10.0.0.1', 'a: Error: SERVFAIL']);
  answers['a'] = ['10.0.0.3'];
  await jest.advanceTimersByTimeAsync(30_000);
  expect(told.at(-1)).toBe('a=10.0.0.3');
});

test.each([
  ['shorter than half a minute', 1_000, 30_000],
  ['longer than an hour', 86_400_000, 3_600_000],
])('a lifetime %s is brought into bounds', async (_, ttlMs, waitMs) => {
  const { resolver, asked } = resolverOf({ a: ['10.0.0.1'] }, ttlMs);
  using _resolver = resolver;
  resolver.follow(['a']);
  await resolver.settled();
  await jest.advanceTimersByTimeAsync(waitMs - 1);
  expect(asked).toHaveLength(1);
  await jest.advanceTimersByTimeAsync(1);
  expect(asked).toHaveLength(2);
});

test('hosts that are not wanted any more are left, also while their answer is on its way', async () => {
  const { resolver, told, asked } = resolverOf({ a: ['10.0.0.1'], b: [] });
  using _ = resolver;
  resolver.follow(['a', 'b']);
  await resolver.settled();
  expect(told).toEqual(['a=10.0.0.1', 'b: nothing']);
  resolver.follow(['c']);
  resolver.follow([]);
  await jest.advanceTimersByTimeAsync(3_600_000);
  expect(asked).toEqual(['a', 'b', 'c']);
  expect(told.slice(2)).toEqual(['a=left', 'b=left', 'c=left']);
});

test('nothing is asked after disposal', async () => {
  const { resolver, asked } = resolverOf({ a: ['10.0.0.1'] });
  resolver.follow(['a']);
  await resolver.settled();
  resolver[Symbol.dispose]();
  await jest.advanceTimersByTimeAsync(3_600_000);
  expect(asked).toEqual(['a']);
});
