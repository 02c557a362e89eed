import { describe, expect, test } from '@jest/globals';
import { commonDomain, isCalledByItsName, serviceDomains, shortNames } from './virtual-host-domains.ts';

const HOST = 'web.shop.svc.cluster.local';
const client = { dnsDomain: 'shop.svc.cluster.local', port: undefined, absoluteNames: true };
const web = { hostname: HOST, aliases: [], addresses: [], headless: false };

describe('short names', () => {
  test.each([
    ['of the same namespace', HOST, 'shop.svc.cluster.local', ['web', 'web.shop', 'web.shop.svc']],
    ['of another namespace', HOST, 'bank.svc.cluster.local', ['web.shop', 'web.shop.svc']],
    ['of another cluster domain', HOST, 'shop.svc.other.local', []],
    ['of a name that is no service', 'example.com', 'shop.svc.cluster.local', []],
    ['outside of Kubernetes', 'web.local.campus.net', 'local.campus.net', ['web']],
    ['of a neighbour outside of Kubernetes', 'web.local.campus.net', 'remote.campus.net', ['web.local', 'web.local.campus']], // prettier-ignore
    ['that share nothing', 'example.com', 'local.net', []],
    ['without a domain', 'example.com', '', []],
  ])('%s', (_what, host, domain, names) => {
    expect(shortNames(host, domain)).toEqual(names);
  });
});

test('whoever may not leave out the namespace calls hosts as all others do', () => {
  const labels = ['web', 'shop', 'svc', 'bank'];
  const hosts = labels.flatMap((name) =>
    labels.flatMap((namespace) => [`${name}.${namespace}.svc.cluster.local`, `${name}.${namespace}.example`]),
  );
  const domains = [
    ...['', ...labels].map((namespace) => `${namespace}.svc.cluster.local`),
    'svc.cluster.local',
    'bank.example',
  ];
  for (const domain of domains) {
    for (const host of hosts.filter((one) => !isCalledByItsName([one], domain))) {
      expect([host, domain, ...shortNames(host, commonDomain(domain))]).toEqual([
        host,
        domain,
        ...shortNames(host, domain),
      ]);
    }
  }
  expect(
    isCalledByItsName(['pay.bank.svc.cluster.local', 'web.shop.svc.cluster.local'], 'shop.svc.cluster.local'),
  ).toBe(true);
});

describe('domains of a service', () => {
  test('its names, then its addresses', () => {
    expect(serviceDomains({ ...web, addresses: ['10.0.0.1', 'fd00::1'] }, client).domains).toEqual([
      HOST, `${HOST}.`, 'web', 'web.shop', 'web.shop.svc', '10.0.0.1', '[fd00::1]',
    ]); // prettier-ignore
  });

  test('with the port too where one listener serves all ports', () => {
    const { domains } = serviceDomains({ ...web, addresses: ['fd00::1'] }, { ...client, port: 80 });
    expect(domains).toEqual(expect.arrayContaining([HOST, `${HOST}:80`, `${HOST}.:80`, 'web:80', '[fd00::1]:80']));
  });

  test('names of other services for it, in all forms', () => {
    const { domains } = serviceDomains({ ...web, aliases: ['old.shop.svc.cluster.local'] }, client);
    expect(domains).toEqual(expect.arrayContaining(['old.shop.svc.cluster.local', 'old', 'old.shop']));
  });

  test('names of its endpoints, but not of addresses, where it is headless', () => {
    const { domains } = serviceDomains({ ...web, headless: true, addresses: ['10.0.0.1'] }, client);
    expect(domains).toEqual(expect.arrayContaining([`*.${HOST}`, '*.web', '*.web.shop']));
    expect(domains).not.toContain('*.10.0.0.1');
  });

  test('what is short for it gives way to who has the name', () => {
    const { shorthand } = serviceDomains(web, client);
    expect([...shorthand]).toEqual([`${HOST}.`, 'web', 'web.shop', 'web.shop.svc']);
  });

  test('an address has no dot at the end', () => {
    expect(serviceDomains({ ...web, hostname: '10.0.0.1' }, client).domains).toEqual(['10.0.0.1']);
  });
});
