import { expect, test } from '@jest/globals';
import { proxyRegexProblem, regexRewriteProblem } from './proxy-regex.ts';

test('expressions that proxies compile', () => {
  const fine = ['', 'a.*', '(?i)straße', String.raw`\p{Greek}\p{^Lu}\pN`, String.raw`\x{ff}`, String.raw`\\x{100}`];
  const large = ['a{1000}'.repeat(32), '[^/]{1000}'.repeat(10), String.raw`(\pL{100}){5}`];
  expect([...fine, ...large].map(proxyRegexProblem).filter(Boolean)).toEqual([]);
});

test('expressions that proxies refuse', () => {
  const wrong = ['(', '(?=a)', 'a{1001}', String.raw`\p{Garay}`, String.raw`\p{Assigned}`, String.raw`\x{100}`];
  const large = ['a{1000}'.repeat(33), '[^a]{1000}'.repeat(17)];
  expect([...wrong, ...large].filter((regex) => proxyRegexProblem(regex) === undefined)).toEqual([]);
});

test('what a match is rewritten to names groups that there are', () => {
  const problem = (rewrite: string) => regexRewriteProblem('/(a)(b)', rewrite) !== undefined;
  expect(['', '/x', String.raw`\0-\2`, String.raw`\\9`].filter(problem)).toEqual([]);
  const wrong = [String.raw`\3`, String.raw`\x`, 'a\\'];
  expect(wrong.filter(problem)).toEqual(wrong);
});
