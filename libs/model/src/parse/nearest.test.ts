import { expect, test } from '@jest/globals';
import { nearest } from './nearest.ts';

test.each([
  ['hostss', 'hosts'],
  ['Hosts', 'hosts'],
  ['gatway', 'gateways'],
  ['htpt', 'http'],
  ['exportto', 'exportTo'],
  ['zzzzz', undefined],
  ['', undefined],
])('%s means %s', (word, expected) => {
  expect(nearest(word, ['hosts', 'gateways', 'exportTo', 'http'])).toBe(expected);
});
