import { expect, test } from '@jest/globals';
import { luaProblem } from './lua-problem.ts';

test('scripts that Envoy loads, and such that it cannot', () => {
  const fine = [
    '',
    'x = 1;;',
    'local a = 1LL goto b ::b::',
    'function envoy_on_request(h) h:logInfo("é") end',
    'return 1',
  ];
  expect(fine.filter((text) => luaProblem(text) !== undefined)).toEqual([]);
  const wrong = ['function (', 'x', 'local x <const> = 1', 'a = b & c', 'a = 5 // 2', 'break', 'goto a'];
  expect(wrong.filter((text) => luaProblem(text) === undefined)).toEqual([]);
});
