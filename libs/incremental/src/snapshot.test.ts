import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Snapshot } from './snapshot.ts';
import { index, source } from './source.ts';

const words = source<string>('word');
const byLetter = index(words, 'letter', (word) => [...word]);

test('an edit leaves the old snapshot as it was and shares what it did not touch', () => {
  const other = source<string>('other');
  const first = Snapshot.empty.edit().set(words, '1', 'ab').set(other, 'x', 'y').commit().snapshot;
  expect(first.group(byLetter, 'a')).toEqual(['ab']);
  const { snapshot, changed } = first.edit().set(words, '1', 'bc').commit();
  expect(first.get(words, '1')).toBe('ab');
  expect(first.group(byLetter, 'a')).toEqual(['ab']);
  expect(snapshot.group(byLetter, 'a')).toEqual([]);
  expect(snapshot.all(other)).toBe(first.all(other));
  expect([...changed].sort()).toEqual(
    ['word.letter(a)', 'word.letter(b)', 'word.letter(c)', 'word[*]', 'word[1]'].sort(),
  );
  expect(snapshot.keys(words)).toBe(first.keys(words));
  expect(snapshot.edit().set(words, '1', undefined).commit().changed).toContain('word[#]');
});

test('tables and indexes agree with a plain map, in whatever order edits come', () => {
  const step = fc.record({
    key: fc.constantFrom('k1', 'k2', 'k3', 'k4'),
    value: fc.option(fc.constantFrom('a', 'ab', 'bc', 'c'), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 8 }), (batches) => {
      let snapshot = Snapshot.empty;
      const plain = new Map<string, string>();
      for (const batch of batches) {
        const edit = snapshot.edit();
        for (const { key, value } of batch) {
          edit.set(words, key, value);
          if (value === undefined) plain.delete(key);
          else plain.set(key, value);
        }
        snapshot = edit.commit().snapshot;
        const rows = [...plain].sort(([a], [b]) => (a < b ? -1 : 1));
        expect(snapshot.keys(words)).toEqual(rows.map(([key]) => key));
        expect(snapshot.all(words)).toEqual(rows.map(([, value]) => value));
        for (const letter of ['a', 'b', 'c']) {
          expect(snapshot.group(byLetter, letter)).toEqual(
            rows.map(([, value]) => value).filter((value) => value.includes(letter)),
          );
        }
      }
    }),
    { seed: 3 },
  );
});
