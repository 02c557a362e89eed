import { expect, test } from '@jest/globals';
import { Answer, InitialVersions } from './answer.ts';
import { Differences, isSendable } from './difference.ts';

const answer = (...resources: string[]) =>
  new Answer(
    resources.map((text) => {
      const [name = '', version = ''] = text.split(':');
      return { name, version, any: Buffer.from(text), requires: [{ typeUrl: 'T', names: [name] }] };
    }),
  );

test('tells what changed and what is gone, in the order of the answer', () => {
  const difference = new Differences().between(answer('a:1', 'b:1', 'c:1'), answer('d:1', 'b:2', 'a:1'));
  expect(difference.changed.map(({ name }) => name)).toEqual(['d', 'b']);
  expect(difference.removed).toEqual(['c']);
  expect(difference.grown.resources.map(({ name }) => name)).toEqual(['d', 'b', 'a', 'c']);
  expect([...difference.required]).toEqual([['T', ['d', 'b']]]);
});

test.each([
  ['nothing before', '', 'a:1 b:1', 'a b', ''],
  ['nothing after', 'a:1 b:1', '', '', 'a b'],
  ['one in the middle is new', 'a:1 c:1', 'a:1 b:1 c:1', 'b', ''],
  ['one in the middle is gone, the last is changed', 'a:1 b:1 c:1', 'a:1 c:2', 'c', 'b'],
  ['the first is new, the last is gone', 'b:1 c:1 d:1', 'a:1 b:1 c:2', 'a c', 'd'],
  ['another order', 'a:1 b:1 c:1 d:1', 'a:1 c:1 b:2 d:1', 'b', ''],
  ['the same end twice', 'a:1 b:1', 'b:1', '', 'a'],
])('%s', (_, from, to, changed, removed) => {
  const list = (text: string) => text.split(' ').filter((word) => word !== '');
  const difference = new Differences().between(answer(...list(from)), answer(...list(to)));
  expect(difference.changed.map(({ name }) => name)).toEqual(list(changed));
  expect(difference.removed).toEqual(list(removed));
});

test('equal answers that are different objects differ in nothing', () => {
  const differences = new Differences();
  expect(differences.between(answer('a:1'), answer('a:1')).empty).toBe(true);
  const same = answer('a:1');
  expect(differences.between(same, same).empty).toBe(true);
});

test('a step is computed once', () => {
  const differences = new Differences();
  const [from, to] = [answer('a:1'), answer('a:2')];
  expect(differences.between(from, to)).toBe(differences.between(from, to));
  expect(differences.computed).toBe(1);
});

test('of what an earlier stream left only the version is known', () => {
  const { changed, removed, grown } = new Differences().between(
    new InitialVersions([
      ['a', '1'],
      ['b', '1'],
      ['c', '1'],
    ]),
    answer('a:1', 'b:2'),
  );
  expect(changed.map(({ name }) => name)).toEqual(['b']);
  expect(removed).toEqual(['c']);
  expect(grown.resources.map(isSendable)).toEqual([true, true, false]);
});

test('an answer with two resources of one name is refused', () => {
  expect(() => answer('a:1', 'b:1', 'a:2').get('a')).toThrow('two resources of the name a');
});
