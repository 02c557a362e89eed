import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chartCopies, chartsFolder } from './chart-copies.ts';

test.each([...chartCopies()])('charts/%s is as its original', (path, text) => {
  expect(readFileSync(join(chartsFolder, path), 'utf8')).toBe(text);
});
