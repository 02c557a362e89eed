import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { FetchedKeySet } from './fetched-key-set.ts';

const SECOND = 1000;
const DAY = 86_400 * SECOND;
const INTERVAL = 1200 * SECOND;
const keys = (...ids: readonly string[]): string => JSON.stringify({ keys: ids.map((kid) => ({ kty: 'RSA', kid })) });

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A set at a place whose server answers what the test says, and what it told. */
function follow(answers: Record<string, string | Error>, place = { url: 'https://a/keys', isConfiguration: false }) {
  const told: (string | undefined)[] = [];
  const problems: (string | undefined)[] = [];
  const asked: string[] = [];
  const set = new FetchedKeySet({
    place,
    refreshInterval: INTERVAL,
    timeoutMs: 5000,
    fetchText: (url) => {
      asked.push(url);
      const answer = answers[url] ?? new Error('status 404');
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    changed: (text) => told.push(text),
    observe: ({ problem }) => problems.push(problem),
  });
  return { set, told, problems, asked, answers, [Symbol.dispose]: () => set[Symbol.dispose]() };
}

test('keys are fetched again after a while, and told where they are others', async () => {
  using run = follow({ 'https://a/keys': keys('one', 'two') });
  await run.set.tried;
  expect(run.told).toEqual([keys('one', 'two')]);
  run.answers['https://a/keys'] = keys('two', 'one');
  await jest.advanceTimersByTimeAsync(INTERVAL - 1);
  expect(run.asked).toHaveLength(1);
  await jest.advanceTimersByTimeAsync(1);
  expect(run.asked).toHaveLength(2);
  expect(run.told).toHaveLength(1);
  run.answers['https://a/keys'] = keys('three');
  await jest.advanceTimersByTimeAsync(INTERVAL);
  expect(run.told).toEqual([keys('one', 'two'), keys('three')]);
  expect(run.set.keys).toBe(keys('three'));
});

test('a set without keys is one: they may have been revoked', async () => {
  using run = follow({ 'https://a/keys': keys('one') });
  await run.set.tried;
  run.answers['https://a/keys'] = keys();
  await jest.advanceTimersByTimeAsync(INTERVAL);
  expect(run.set.keys).toBe(keys());
});

test('keys are where the configuration of the issuer says', async () => {
  const configuration = 'https://a/.well-known/openid-configuration';
  using run = follow(
    { [configuration]: '{"issuer": "https://a", "jwks_uri": "https://b/keys"}', 'https://b/keys': keys('one') },
    { url: configuration, isConfiguration: true },
  );
  await run.set.tried;
  expect(run.told).toEqual([keys('one')]);
  run.answers[configuration] = '{"jwks_uri": "https://c/keys"}';
  run.answers['https://c/keys'] = keys('two');
  await jest.advanceTimersByTimeAsync(INTERVAL);
  expect(run.set.keys).toBe(keys('two'));
});

test.each([
  ['a failure', new Error('status 500'), 'status 500'],
  ['what is no JSON', '<html>', 'the key set is not JSON'],
  ['another document', '{"secret": "x"}', 'the key set has no list of keys'],
])('%s leaves the keys as they are, and is tried again after 1, 2, 4 ... seconds', async (_, answer, problem) => {
  using run = follow({ 'https://a/keys': keys('one') });
  await run.set.tried;
  run.answers['https://a/keys'] = answer;
  await jest.advanceTimersByTimeAsync(INTERVAL);
  expect(run.problems).toEqual([undefined, problem]);
  for (const seconds of [1, 2, 4, 8]) {
    const before = run.asked.length;
    await jest.advanceTimersByTimeAsync(seconds * SECOND - 1);
    expect(run.asked).toHaveLength(before);
    await jest.advanceTimersByTimeAsync(1);
    expect(run.asked).toHaveLength(before + 1);
  }
  expect(run.told).toEqual([keys('one')]);
  run.answers['https://a/keys'] = keys('two');
  await jest.advanceTimersByTimeAsync(16 * SECOND);
  expect(run.told).toEqual([keys('one'), keys('two')]);
});

test('the wait after failures is no longer than the one after success', async () => {
  using run = follow({});
  await jest.advanceTimersByTimeAsync(DAY);
  const before = run.asked.length;
  await jest.advanceTimersByTimeAsync(INTERVAL);
  expect(run.asked).toHaveLength(before + 1);
});

test('keys that could not be fetched for a week count no more', async () => {
  using run = follow({ 'https://a/keys': keys('one') });
  await run.set.tried;
  delete run.answers['https://a/keys'];
  await jest.advanceTimersByTimeAsync(6.9 * DAY);
  expect(run.told).toEqual([keys('one')]);
  await jest.advanceTimersByTimeAsync(0.2 * DAY);
  expect(run.told).toEqual([keys('one'), undefined]);
});

test('nothing is asked or told after disposal', async () => {
  const run = follow({ 'https://a/keys': keys('one') });
  run.set[Symbol.dispose]();
  await jest.advanceTimersByTimeAsync(DAY);
  expect(run.asked).toHaveLength(1);
  expect(run.told).toEqual([]);
});
