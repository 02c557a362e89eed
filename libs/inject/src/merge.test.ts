import { describe, expect, test } from '@jest/globals';
import { strategicMerge } from './merge.ts';

const named = (...names: readonly string[]) => names.map((name) => ({ name }));

describe('strategicMerge', () => {
  test.each([
    ['new elements come first', named('a'), named('b'), named('b', 'a')],
    [
      'known elements keep their place among the others',
      named('a', 'b', 'c'),
      named('c', 'd'),
      named('a', 'b', 'c', 'd'),
    ],
    ['the patch orders what it names', named('a', 'b'), named('b', 'a'), named('b', 'a')],
    ['an element is deleted', named('a', 'b'), [{ name: 'a', $patch: 'delete' }], named('b')],
    ['the list is replaced', named('a', 'b'), [{ $patch: 'replace' }, { name: 'c' }], named('c')],
    [
      'an element is replaced',
      [{ name: 'a', image: 'x' }],
      [{ name: 'a', tty: true, $patch: 'replace' }],
      [{ name: 'a', tty: true }],
    ],
  ])('%s', (_, base, patch, expected) => {
    expect(strategicMerge({ containers: base }, { containers: patch })).toEqual({ containers: expected });
  });

  test('ports of a service are told apart by their port', () => {
    const base = { ports: [{ port: 80, name: 'a' }, { port: 443 }] };
    expect(strategicMerge(base, { ports: [{ port: 80, targetPort: 8080 }] })).toEqual({
      ports: [{ port: 80, name: 'a', targetPort: 8080 }, { port: 443 }],
    });
    expect(strategicMerge(base, { ports: [] })).toEqual(base);
  });

  test('null deletes, and lists without a key are replaced', () => {
    expect(
      strategicMerge({ a: 1, args: ['x', 'y'], b: { c: 1, d: 2 } }, { a: null, args: ['z'], b: { d: null } }),
    ).toEqual({
      args: ['z'],
      b: { c: 1 },
    });
  });
});
