import { describe, expect, test } from '@jest/globals';
import { formatIdentity, inTrustDomains, parseIdentity } from './identity.ts';
import { isOwnTrustDomain, isSameWorkload } from './trust-domains.ts';

describe('an identity', () => {
  test.each([
    ['spiffe://td/ns/a/sa/b', { trustDomain: 'td', namespace: 'a', serviceAccount: 'b' }],
    ['spiffe://td/ns//sa/', { trustDomain: 'td', namespace: '', serviceAccount: '' }],
    ['spiffe://td/ns/a/sa/b/', undefined],
    ['spiffe://td/ns/a/b/sa/c', undefined],
    ['td/ns/a/sa/b', undefined],
    ['SPIFFE://td/ns/a/sa/b', undefined],
  ])('%s', (uri, expected) => {
    expect(parseIdentity(uri)).toEqual(expected);
  });

  test('is written as it is read', () => {
    const identity = { trustDomain: 'td', namespace: 'a', serviceAccount: 'b' };
    expect(parseIdentity(formatIdentity(identity))).toEqual(identity);
    expect(formatIdentity({ ...identity, trustDomain: 'a@b' })).toBe('spiffe://a.b/ns/a/sa/b');
    expect(() => formatIdentity({ ...identity, namespace: '' })).toThrow('namespace or service account empty');
  });

  test('has a name in each trust domain', () => {
    expect(inTrustDomains(['spiffe://a/ns/n/sa/s', 'example.com'], ['a', 'b'])).toEqual([
      'spiffe://a/ns/n/sa/s',
      'spiffe://b/ns/n/sa/s',
      'example.com',
    ]);
  });
});

describe('trust domains', () => {
  const domains = { own: 'new', aliases: ['old'] };
  test.each([
    ['new', true],
    ['old', true],
    ['cluster.local', false],
    ['', false],
  ])('%s is our own: %s', (domain, expected) => {
    expect(isOwnTrustDomain(domains, domain)).toBe(expected);
  });

  test.each([
    ['spiffe://old/ns/a/sa/b', true],
    ['spiffe://cluster.local/ns/a/sa/b', true],
    ['spiffe://other/ns/a/sa/b', false],
    ['spiffe://new/ns/a/sa/c', false],
    ['spiffe://new/x', false],
  ])('%s is the workload: %s', (uri, expected) => {
    expect(isSameWorkload(domains, 'spiffe://new/ns/a/sa/b', uri)).toBe(expected);
  });
});
