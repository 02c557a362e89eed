import { describe, expect, test } from '@jest/globals';
import { derivations, parseInput } from './explain.ts';
import { Memo } from './memo.ts';
import { fact, query, type Read } from './query.ts';
import { index, source } from './source.ts';

interface Proxy {
  readonly namespace: string;
}
type TestRead = Read<Proxy>;

const rules = source<string>('Rule');
const rulesByHost = index(rules, 'host', (rule) => [rule]);
const names = source<string>('Name');
const namespace = fact('namespace', (proxy: Proxy) => proxy.namespace);

const rule = query('rule', (read: TestRead, host: string) => read.group(rulesByHost, host)[0]);
const chosen = query('chosen', (read: TestRead) => read.get(names, read.fact(namespace)));
const cluster = query('cluster', (read: TestRead, host: string) => `${read(rule, host)} ${read.by(chosen)}`);

function memoOf(): Memo<Proxy> {
  const memo = new Memo<Proxy>();
  memo.advance(memo.snapshot.edit().set(rules, 'x/a', 'web').set(names, 'shop', 'n').commit());
  return memo;
}

test('a derivation tells inputs, facts and choices, however far away', () => {
  const memo = memoOf();
  const found = [...derivations(memo.derivation({ namespace: 'shop' }, cluster, 'web'))];
  expect(found.map(({ query, args, value }) => [query, args, value])).toEqual([
    ['cluster', ['web'], 'web n'],
    ['rule', ['web'], 'web'],
    ['chosen', [], 'n'],
  ]);
  expect(found.flatMap(({ inputs }) => inputs)).toEqual(['Rule.host(web)', 'Name[shop]']);
  expect(found.flatMap(({ facts }) => facts)).toEqual([{ fact: 'namespace', args: [], answer: 'shop' }]);
});

test('it counts what is computed, and why', () => {
  const memo = memoOf();
  const proxy = { namespace: 'shop' };
  memo.evaluate(proxy, cluster, 'web');
  const untimed = { ownMs: expect.any(Number), assembles: false };
  expect(memo.recomputations.take()).toEqual(
    ['cluster', 'rule', 'chosen'].map((query) => ({ query, count: 1, causes: new Map(), ...untimed })),
  );
  memo.advance(memo.snapshot.edit().set(rules, 'w/b', 'web').set(rules, 'x/a', 'other').commit());
  memo.evaluate(proxy, cluster, 'web');
  const causes = new Map([['Rule.host(web)', 1]]);
  // The rule reads the same as before, so the change ends there.
  expect(memo.recomputations.take()).toEqual([{ query: 'rule', count: 1, causes, ...untimed }]);
  expect(memo.recomputations.take()).toEqual([]);
});

test('it names the input that made a value look again', () => {
  const memo = memoOf();
  memo.evaluate({ namespace: 'shop' }, cluster, 'web');
  memo.advance(memo.snapshot.edit().set(rules, 'x/b', 'web').commit());
  expect(memo.derivation({ namespace: 'shop' }, rule, 'web').cause).toBe('Rule.host(web)');
});

describe('names of inputs', () => {
  test.each([
    ['Rule[shop/a]', { source: 'Rule', key: 'shop/a' }],
    ['Rule[]', { source: 'Rule', key: '' }],
    ['Rule[*]', { source: 'Rule' }],
    ['Rule[#]', { source: 'Rule' }],
    ['Rule.host(a(b)[c])', { source: 'Rule', index: 'host', key: 'a(b)[c]' }],
  ])('%s', (name, parsed) => {
    expect(parseInput(name)).toEqual(parsed);
  });
});
