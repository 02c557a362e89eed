import { expect, test } from '@jest/globals';
import { expressionProblem } from './expression-problem.ts';

test('expressions that Envoy takes', () => {
  const fine = [
    ['response.code >= 400', 'has(request.auth) && !connection.mtls', "'a(b)' in ['exists(']", 'a && (b || c)'],
    ['request.time.getHours() == 1', "re.extract('a', 'b', 'c') == 'x'", 'size(request.headers) > 1', 'x in (y)'],
    ["request.path.matches('/v[0-9]+')", 'request.path.matches(request.host)', String.raw`a.matches(r'\d+')`],
    ['-9223372036854775808 == 1', '9223372036854775807 == 1', '18446744073709551615u == 1u', '1e999 == 1.0'],
  ].flat();
  expect(fine.filter((text) => expressionProblem(text) !== undefined)).toEqual([]);
});

test('expressions that Envoy refuses', () => {
  const wrong = [
    ['response.code >=', 'foo()', 'a.b.c()', '[1].exists(x, x == 1)', '[1].map(x, x) == []', 'string(1) == "1"'],
    ["request.path.matches('(')", 'matches(request.path, "(?=a)")', String.raw`a.matches(r'\d(')`],
    ['9223372036854775808 == 1', '18446744073709551616u == 1u', '0xffffffffffffffff == 1'],
  ].flat();
  expect(wrong.filter((text) => expressionProblem(text) === undefined)).toEqual([]);
});
