import { describe, expect, test } from '@jest/globals';
import { EgressHosts } from './egress-hosts.ts';

const WEB = 'web.shop.svc.cluster.local';
const hosts = (...entries: readonly string[]): EgressHosts => EgressHosts.parse(entries, 'shop');

describe('services', () => {
  test.each([
    [['*/*'], true],
    [['./*'], true],
    [['bank/*'], false],
    [[`./${WEB}`], true],
    [[`*/${WEB.toUpperCase()}`], true],
    [['shop/*.shop.svc.cluster.local'], true],
    [['shop/*.bank.svc.cluster.local'], false],
    [['~/*'], false],
    [['*/*', `~shop/${WEB}`], false],
    [['*/*', '~/*.cluster.local'], false],
    [['*/*', `~bank/${WEB}`], true],
    [['nonsense', '*/*'], true],
  ])('%j lets the service in: %s', (entries, admitted) => {
    expect(hosts(...entries).admitsService(WEB, 'shop')).toBe(admitted);
  });

  test('a wildcard host is let in by one that covers it, not by a name that it covers', () => {
    expect(hosts('*/*.example.com').admitsService('*.a.example.com', 'shop')).toBe(true);
    expect(hosts('*/a.example.com').admitsService('*.example.com', 'shop')).toBe(false);
  });

  test('other names come in with a service as far as its own entry covers them', () => {
    expect(hosts('*/*').admittedAliases(WEB, 'shop', ['old.shop', 'a.bank'])).toEqual(['old.shop', 'a.bank']);
    expect(hosts(`./${WEB}`, '*/*').admittedAliases(WEB, 'shop', ['old.shop'])).toEqual([]);
  });
});

describe('routes', () => {
  test.each([
    ['*.example.com', ['*/a.example.com'], false, true],
    ['*.example.com', ['*/a.example.com'], true, false],
    ['a.example.com', ['*/*.example.com'], true, true],
    ['a.example.com', ['*/*.example.com', '~/a.example.com'], false, false],
    ['a.example.com', ['bank/a.example.com'], false, false],
  ])('%s by %j (strict: %s): %s', (host, entries, strict, admitted) => {
    expect(hosts(...entries).admitsRoute(host, 'shop', strict)).toBe(admitted);
  });
});
