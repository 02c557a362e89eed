import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { listManifests, readManifests } from './read-manifests.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'manifests-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const policy = (name: string, mode: string, labels = '{}'): string =>
  `apiVersion: security.istio.io/v1\nkind: PeerAuthentication\nmetadata: {name: ${name}, namespace: shop, labels: ${labels}}\nspec: {mtls: {mode: ${mode}}}\n`;

test('of an object in two files the first by path counts, whatever the order given', () => {
  const files = [
    { name: 'b.yaml', text: policy('a', 'STRICT') },
    { name: 'a.yaml', text: policy('a', 'DISABLE') },
  ];
  const { objects, diagnostics } = readManifests(files);
  expect(objects).toMatchObject([{ spec: { mtls: { mode: 'DISABLE' } } }]);
  expect(diagnostics).toMatchObject([{ code: 'duplicate-object', file: 'b.yaml', line: 1 }]);
});

test('objects of another revision are left out', () => {
  const text = `${policy('a', 'STRICT', '{istio.io/rev: green}')}---\n${policy('b', 'STRICT', '{istio.io/rev: blue}')}`;
  expect(readManifests([{ name: 'a.yaml', text }], { revision: 'blue' }).objects).toMatchObject([{ name: 'b' }]);
});

test('the files of a mounted ConfigMap stand once in the list, other names that begin with a dot not at all', () => {
  mkdirSync(join(folder, '..v1'));
  writeFileSync(join(folder, '..v1/a.yaml'), '');
  symlinkSync('..v1', join(folder, '..data'));
  symlinkSync('..data/a.yaml', join(folder, 'a.yaml'));
  mkdirSync(join(folder, 'deep'));
  for (const name of ['deep/b.json', '.hidden.yaml', 'notes.txt']) writeFileSync(join(folder, name), '');
  expect(listManifests(folder)).toEqual([join(folder, 'a.yaml'), join(folder, 'deep/b.json')]);
});
