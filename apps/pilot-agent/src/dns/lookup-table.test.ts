import { expect, test } from '@jest/globals';
import { LookupTable } from './lookup-table.ts';

const service = (shortname: string, namespace: string, ...ips: string[]) => ({
  registry: 'Kubernetes',
  shortname,
  namespace,
  ips,
});
const external = (...ips: string[]) => ({ registry: 'External', ips });

const table = new LookupTable(
  {
    table: {
      'web.shop.svc.cluster.local': service('web', 'shop', '10.0.0.1', 'fd00::1'),
      'Pay.bank.svc.cluster.local': service('pay', 'bank', '10.0.0.2'),
      'web.shop.svc.other.domain': service('web', 'shop', '10.9.9.9'),
      'www.example.com': external('240.0.0.1'),
      '*.wild.example': external('240.0.0.2'),
      '*.very.wild.example': external('240.0.0.3'),
      'www.wild.example': external('240.0.0.4'),
      'web.shop.svc': external('nonsense', 'fe80::1%eth0'),
    },
  },
  { namespace: 'shop', domain: 'svc.cluster.local', search: 'shop.svc.cluster.local' },
);

const v4 = (name: string): string | undefined => {
  const found = table.find(name);
  return found && [found.alias, ...found.addresses.v4].filter(Boolean).join(' ');
};

test.each([
  ['web.shop.svc.cluster.local', '10.0.0.1'],
  ['web', '10.0.0.1'],
  ['web.shop', '10.0.0.1'],
  ['web.shop.svc', '10.0.0.1'],
  ['pay.bank.svc.cluster.local', '10.0.0.2'],
  ['pay.bank', '10.0.0.2'],
  ['pay', undefined],
  ['web.shop.svc.other.domain', '10.9.9.9'],
  ['web.shop.svc.cluster', undefined],
  ['www.example.com', '240.0.0.1'],
  ['example.com', undefined],
])('%s is %s', (name, expected) => {
  expect(v4(name)).toBe(expected);
});

test.each([
  ['www.example.com.shop.svc.cluster.local', 'www.example.com 240.0.0.1'],
  ['pay.bank.shop.svc.cluster.local', 'pay.bank 10.0.0.2'],
  ['a.wild.example.shop.svc.cluster.local', 'a.wild.example 240.0.0.2'],
  ['nobody.shop.svc.cluster.local', undefined],
  ['www.example.com.svc.cluster.local', undefined],
])('with the search domain, %s is %s', (name, expected) => {
  expect(v4(name)).toBe(expected);
});

test.each([
  ['a.wild.example', '240.0.0.2'],
  ['a.b.wild.example', '240.0.0.2'],
  ['a.very.wild.example', '240.0.0.3'],
  ['very.wild.example', '240.0.0.2'],
  ['www.wild.example', '240.0.0.4'],
  ['wild.example', undefined],
  ['notwild.example', undefined],
])('of wildcards, %s is %s', (name, expected) => {
  expect(v4(name)).toBe(expected);
});

test('families are apart', () => {
  expect(table.find('web')?.addresses).toEqual({ v4: ['10.0.0.1'], v6: ['fd00::1'] });
  expect(table.find('pay.bank')?.addresses.v6).toEqual([]);
});
