import { afterEach, expect, jest, test } from '@jest/globals';
import { type AnyQuery, assembly, join, query } from './query.ts';
import { Recomputations } from './recomputations.ts';

const plain = query('plain', () => 1);
const keys = query('keys', (): readonly string[] => []);
const joined = join('joined', keys, plain, (values) => values.length);
const list = assembly(query('list', () => []));
const any = (one: object): AnyQuery => one as AnyQuery;

afterEach(() => {
  jest.restoreAllMocks();
});

test('what is computed within something else is not its own time, however deep', () => {
  let now = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  const seen = new Recomputations();
  const work = (of: object, ownMs: number, within: () => void = () => undefined) =>
    seen.timed(any(of), () => {
      now += ownMs;
      within();
    });
  work(list, 1, () => {
    work(joined, 10, () => work(plain, 100));
    work(plain, 200);
  });
  expect(() =>
    work(keys, 5, () => {
      throw new Error('no keys');
    }),
  ).toThrow('no keys');
  work(list, 2);
  const times = new Map(seen.take().map((one) => [one.query, one.ownMs]));
  expect(Object.fromEntries(times)).toEqual({ list: 3, joined: 10, plain: 300, keys: 5 });
});

test('joins and assemblies are told apart', () => {
  const seen = new Recomputations();
  for (const one of [plain, joined, list]) seen.add(any(one), undefined);
  expect(seen.take().map(({ query: name, assembles }) => [name, assembles])).toEqual([
    ['plain', false],
    ['joined', true],
    ['list', true],
  ]);
});
