import { expect, test } from '@jest/globals';
import type { Config } from '@kedge/model';
import { AggregateSource } from './aggregate-source.ts';
import type { ConfigChange, ConfigSource } from './config-source.ts';
import { MemorySource } from './memory-source.ts';

const object = (name: string, generation: number): Config => ({
  kind: 'Service',
  group: '',
  version: 'v1',
  namespace: 'shop',
  name,
  labels: {},
  annotations: {},
  creationTimestamp: 0,
  generation,
  spec: {},
});
const key = (name: string) => ({ kind: 'Service', namespace: 'shop', name });

function listen(source: ConfigSource): string[] {
  const told: string[] = [];
  const text = ({ key: { name }, old, new: now }: ConfigChange): string =>
    `${name} ${old?.generation ?? '-'} ${now?.generation ?? '-'}`;
  source.subscribe((changes) => told.push(changes.map(text).join(', ')));
  return told;
}

test('puts and deletes are told in batches, and objects that are refused are not there', () => {
  const source = new MemorySource([object('a', 1)], {
    validate: ({ generation, ...ref }) =>
      generation === 13 ? [{ severity: 'error', code: 'no', field: '', message: 'unlucky', ...ref }] : [],
  });
  const told = listen(source);
  source.put(object('a', 2), object('b', 1));
  source.put(object('b', 13));
  expect(source.diagnostics()).toHaveLength(1);
  source.delete(key('a'), key('b'));
  expect(source.list()).toEqual([]);
  expect(source.diagnostics()).toEqual([]);
  expect(told).toEqual(['a 1 2, b - 1', 'b 1 -', 'a 2 -']);
});

test('of several sources the earlier one counts, and what it hides comes back when it goes', () => {
  const first = new MemorySource();
  const second = new MemorySource([object('a', 2)]);
  const all = new AggregateSource([first, second]);
  const told = listen(all);
  first.put(object('a', 1));
  second.put(object('a', 3));
  expect(all.list().map(({ generation }) => generation)).toEqual([1]);
  first.delete(key('a'));
  expect(all.get(key('a'))?.generation).toBe(3);
  expect(told).toEqual(['a 2 1', 'a 1 3']);
  all[Symbol.dispose]();
  second.put(object('b', 1));
  expect(told).toHaveLength(2);
});
