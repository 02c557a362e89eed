import { type CorpusCase } from '@kedge/go-template/testing';

/** Values that most cases of tables use. */
export const values = {
  s: 'text',
  e: '',
  u: 'héllo wörld',
  n: 7,
  z: 0,
  f: 2.5,
  big: 1e6,
  t: true,
  no: false,
  null: null,
  l: ['c', 'a', 'b', 'a'],
  nums: [3, 1, 2],
  mixed: [1, 'x', null, true, ['y'], {}],
  el: [],
  m: { b: 1, a: 'x', c: { d: [1, 2], e: null } },
  em: {},
  deep: { one: { two: { three: 'found' } } },
};

/** One expression for each kind of value. */
export const kinds = ['1', '2.5', '"txt"', 'true', 'nil', '.s', '.n', '.t', '.null', '.missing', '.l', '.m'];

/** Every way to choose one of each list. */
export const product = (...lists: readonly (readonly string[])[]): string[] =>
  lists.reduce<string[]>(
    (rows, list) => rows.flatMap((row) => list.map((item) => (row === '' ? item : `${row} ${item}`))),
    [''],
  );

export const text = (...templates: readonly string[]): CorpusCase[] =>
  templates.map((template) => ({ mode: 'text', template, values }));

export const sprig = (...templates: readonly string[]): CorpusCase[] =>
  templates.map((template) => ({ mode: 'sprig', template, values }));

export const helm = (...templates: readonly string[]): CorpusCase[] =>
  templates.map((template) => ({ mode: 'helm', template, values }));

/** `{{ name args }}` for each name and row of arguments. */
export const calls = (names: readonly string[], rows: readonly string[]): string[] =>
  names.flatMap((name) => rows.map((row) => `{{ ${name} ${row} }}`));
