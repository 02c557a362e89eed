import { expect, test } from '@jest/globals';
import { Held } from './held.ts';
import { difference } from './names.ts';
import type { Resource, Run } from './resources.ts';

const resource = (name: string, content: string, isMarked = false): Resource => ({
  name,
  content,
  references: [`of-${name}`],
  isMarked,
});

const run = (key: string, ...resources: readonly Resource[]): Run => ({ key, resources });

const held = ({ resources }: Held): readonly string[] =>
  [...resources.values()].map(({ name, content }) => name + content);

const both = run('both', resource('a', '1'), resource('b', '1'));

test('proxies that are sent the same hold the same', () => {
  const { to, changed } = Held.nothing.take([both], [], true);
  expect(changed).toBe(true);
  expect(held(to)).toEqual(['a1', 'b1']);
  expect(Held.nothing.take([both], [], true).to).toBe(to);
  expect(to.references).toEqual(new Set(['of-a', 'of-b']));
  expect([to.covers(new Set(['a'])), to.covers(new Set(['a', 'c']))]).toEqual([true, false]);
});

test('a response adds, replaces and removes; a complete one drops what it does not hold', () => {
  const { to: from } = Held.nothing.take([both], [], true);
  const next = run('next', resource('b', '2'), resource('c', '1'));
  expect(held(from.take([next], ['a'], false).to)).toEqual(['b2', 'c1']);
  expect(held(from.take([next], [], true).to)).toEqual(['b2', 'c1']);
  expect(held(from.take([next], [], false).to)).toEqual(['a1', 'b2', 'c1']);
  expect(held(from.without(['a']))).toEqual(['b1']);
});

test('what is held already is no change and shows none', () => {
  const { to: from } = Held.nothing.take([both], [], true);
  expect(from.take([run('same', resource('a', '1', true))], ['c'], false)).toEqual({
    to: from,
    changed: false,
    marked: false,
  });
  expect(from.take([run('marked', resource('a', '2', true))], [], false).marked).toBe(true);
  expect(from.without([])).toBe(from);
});

test('the difference of two sets of names is found once', () => {
  const [from, to] = [new Set(['a', 'b']), new Set(['b', 'c'])];
  expect(difference(from, to)).toEqual({ added: ['c'], taken: ['a'] });
  expect(difference(from, to)).toBe(difference(from, to));
});
