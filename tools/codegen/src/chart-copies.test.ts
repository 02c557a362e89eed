import { expect, test } from '@jest/globals';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { chartCopies, chartsFolder } from './chart-copies.ts';

const copies = chartCopies();

test.each([...copies])('charts/%s is as its original', (path, text) => {
  expect(readFileSync(join(chartsFolder, path), 'utf8')).toBe(text);
});

test('no copy is left of an original that is gone', () => {
  const paths = readdirSync(chartsFolder, { recursive: true, encoding: 'utf8' });
  const files = paths.filter((path) => statSync(join(chartsFolder, path)).isFile() && !path.startsWith('common/'));
  const isCopy = (path: string): boolean =>
    /files\/(?:inject\/|profile-)/.test(path) ||
    readFileSync(join(chartsFolder, path), 'utf8').includes('`npm run gen:charts`');
  expect(files.filter((path) => isCopy(path) && !copies.has(path))).toEqual([]);
});
