import { expect, test } from '@jest/globals';
import { inTrustDomain, namesTrustDomain, principalsOf, trustDomainsOf } from './trust-domains.ts';

test.each<[string, readonly string[], readonly string[]]>([
  ['cluster.local/ns/a/sa/b', ['td'], ['td/ns/a/sa/b']],
  ['old/ns/a/sa/b', ['td', 'old'], ['td/ns/a/sa/b', 'old/ns/a/sa/b']],
  ['other/ns/a/sa/b', ['td', 'old'], ['other/ns/a/sa/b']],
  ['*/ns/a/sa/b', ['td', 'old'], ['*/ns/a/sa/b']],
  ['*sa/b', ['td', 'old'], ['*sa/b']],
  ['*-td/ns/a/sa/b', ['new-td', 'old-td', 'other'], ['*-td/ns/a/sa/b', 'other/ns/a/sa/b']],
])('%s in the trust domains %j', (principal, domains, expected) => {
  expect(principalsOf([principal], domains)).toEqual(expected);
});

test('a trust domain of the mesh stands for all of them', () => {
  expect(trustDomainsOf(['old', 'x*', 'td'], ['td', 'old'])).toEqual(['td', 'old', 'x*']);
});

test('principals that are written otherwise belong to no trust domain', () => {
  expect(inTrustDomain('td', 'sa/b')).toBeUndefined();
  expect(namesTrustDomain('sa/b')).toBe(false);
});
