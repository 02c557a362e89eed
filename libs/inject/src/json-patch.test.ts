import { expect, test } from '@jest/globals';
import { jsonPatch } from './json-patch.ts';

test('jsonPatch names what changed, with escaped keys', () => {
  const before = { metadata: { labels: { 'a/b': '1', '~': 'x', same: 's' } }, list: [1], gone: true };
  const after = { metadata: { labels: { 'a/b': '2', same: 's', new: 'n' } }, list: [1, 2] };
  expect(jsonPatch(before, after)).toEqual([
    { op: 'replace', path: '/metadata/labels/a~1b', value: '2' },
    { op: 'remove', path: '/metadata/labels/~0' },
    { op: 'add', path: '/metadata/labels/new', value: 'n' },
    { op: 'replace', path: '/list', value: [1, 2] },
    { op: 'remove', path: '/gone' },
  ]);
});

test('nothing changed, nothing to do', () => {
  expect(jsonPatch({ a: { b: [{ c: 1 }] } }, { a: { b: [{ c: 1 }] } })).toEqual([]);
});
