import { describe, expect, test } from '@jest/globals';
import type { JsonObject } from '../json.ts';
import { valueRules } from './rules.ts';

/** What each rule of `rules` says about a value. */
function broken(kind: string, rules: JsonObject, value: unknown): readonly string[] {
  return valueRules(kind, rules)
    .filter(({ check }) => check(value) !== undefined)
    .map(({ rule }) => rule);
}

describe('each rule', () => {
  test.each<[string, string, JsonObject[string], unknown, unknown]>([
    ['string', 'const', 'a', 'a', 'b'],
    ['string', 'len', '2', 'äö', 'a'],
    ['string', 'minLen', '2', 'äö', 'ä'],
    ['string', 'maxLen', '2', '💡💡', 'abc'],
    ['string', 'lenBytes', '2', 'ä', 'a'],
    ['string', 'minBytes', '2', 'ä', 'a'],
    ['string', 'maxBytes', '3', 'ä', 'ää'],
    ['string', 'pattern', '^[a-z0-9_\\-]*$', 'a-1', 'A'],
    ['string', 'prefix', '%', '%a', 'a%'],
    ['string', 'suffix', '%', 'a%', '%a'],
    ['string', 'contains', 'b', 'abc', 'ac'],
    ['string', 'notContains', 'b', 'ac', 'abc'],
    ['string', 'in', ['a', ''], '', 'b'],
    ['string', 'notIn', ['a'], 'b', 'a'],
    ['string', 'wellKnownRegex', 'HTTP_HEADER_NAME', ':path', 'a b'],
    ['string', 'wellKnownRegex', 'HTTP_HEADER_VALUE', 'a\tb', 'a\nb'],
    ['string', 'ip', true, '::1', 'localhost'],
    ['string', 'ipv4', true, '127.0.0.1', '::1'],
    ['string', 'ipv6', true, '::1', '127.0.0.1'],
    ['string', 'hostname', true, 'a-1.example.com', '-a.example'],
    ['string', 'address', true, '127.0.0.1', 'a_b'],
    ['string', 'email', true, 'a@example.com', 'example.com'],
    ['string', 'uri', true, 'https://a/b', '/b'],
    ['string', 'uriRef', true, '/b', 'http://['],
    ['string', 'uuid', true, '123e4567-e89b-12d3-a456-426614174000', '123e4567'],
    ['uint32', 'gt', 0, 1, 0],
    ['uint32', 'gte', 1, 1, 0],
    ['uint32', 'lt', 2, 1, 2],
    ['double', 'lte', 1, 1, 1.1],
    ['int64', 'gt', '9007199254740993', '9007199254740994', '9007199254740993'],
    ['uint64', 'in', ['1'], '1', '2'],
    ['bool', 'const', true, true, false],
    ['bytes', 'minLen', '2', 'YWI=', 'YQ=='],
    ['bytes', 'maxLen', '1', 'YQ==', 'YWI='],
    ['duration', 'gt', '0.001s', '0.002s', '0.001s'],
    ['duration', 'gte', '1s', '1s', '0.999s'],
    ['duration', 'lte', '43200s', '43200s', '43200.000000001s'],
    ['timestamp', 'lt', '2024-01-01T00:00:00Z', '2023-12-31T23:59:59Z', '2024-01-01T00:00:00Z'],
    [
      'any',
      'in',
      ['type.googleapis.com/a'],
      { '@type': 'type.googleapis.com/a' },
      { '@type': 'type.googleapis.com/b' },
    ],
    [
      'any',
      'notIn',
      ['type.googleapis.com/a'],
      { '@type': 'type.googleapis.com/b' },
      { '@type': 'type.googleapis.com/a' },
    ],
    ['repeated', 'minItems', '1', [1], []],
    ['repeated', 'maxItems', '1', [1], [1, 2]],
    ['map', 'minPairs', '1', { a: 1 }, {}],
    ['map', 'maxPairs', '1', { a: 1 }, { a: 1, b: 2 }],
  ])('%s.%s: %j', (kind, name, parameter, good, bad) => {
    const rule = `${kind}.${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
    expect(broken(kind, { [name]: parameter }, good)).toEqual([]);
    expect(broken(kind, { [name]: parameter }, bad)).toEqual([rule]);
  });
});

test('limits that exclude each other mean the outside of a range', () => {
  const rules = { gt: 10, lt: 5 };
  expect(broken('uint32', rules, 4)).toEqual([]);
  expect(broken('uint32', rules, 11)).toEqual([]);
  expect(broken('uint32', rules, 7)).toEqual(['uint32.gt', 'uint32.lt']);
});

test('header rules that are not strict only refuse what breaks the framing', () => {
  const rules = { wellKnownRegex: 'HTTP_HEADER_NAME', strict: false };
  expect(broken('string', rules, 'a b')).toEqual([]);
  expect(broken('string', rules, 'a\r\nb')).toEqual(['string.well_known_regex']);
});

test('a rule that is not supported is an error, not ignored', () => {
  expect(() => valueRules('string', { newRule: true })).toThrow('string.newRule is not supported');
  expect(() => valueRules('color', { a: true })).toThrow('kind color');
});
