import { expect, test } from '@jest/globals';
import { parseDownwardApi } from './downward-api.ts';

test('reads one quoted value a line', () => {
  const text = ['app="web"', 'note="say \\"hi\\"\\n\\ttab \\\\ \\u00e9"', 'equals="a=b"', ''].join('\n');
  expect(parseDownwardApi(text)).toEqual({ app: 'web', note: 'say "hi"\n\ttab \\ é', equals: 'a=b' });
});

test.each(['app=web', 'app="web', 'app="\\q"'])('refuses %s', (line) => {
  expect(() => parseDownwardApi(line)).toThrow('app');
});
