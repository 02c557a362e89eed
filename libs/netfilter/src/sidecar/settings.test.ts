import { describe, expect, test } from '@jest/globals';
import { parseRange } from './range.ts';
import { defaultSidecarSettings, parseSidecarSettings, type SidecarSettings } from './settings.ts';

const parse = (given: Partial<SidecarSettings>) => parseSidecarSettings({ ...defaultSidecarSettings, ...given });

test('lists lose empty parts and blanks', () => {
  expect(
    parse({ inboundPortsInclude: '80, 90,', proxyUid: '1337,', outboundRangesInclude: ',10.0.0.0/8' }),
  ).toMatchObject({
    ok: true,
    options: {
      inboundPorts: ['80', '90'],
      proxyUids: ['1337'],
      outboundRanges: [{ family: 'ipv4', cidr: '10.0.0.0/8', isLoopback: false }],
    },
  });
});

describe('problems', () => {
  test.each<[Partial<SidecarSettings>, string]>([
    [{ inboundPortsInclude: 'http' }, 'inbound port "http" is not valid'],
    [{ outboundPortsExclude: '70000' }, 'excluded outbound port "70000" goes beyond 65535'],
    [{ outboundRangesInclude: '10.0.0.0' }, 'outbound IP range "10.0.0.0" is not an address range such as 10.0.0.0/8'],
    [{ outboundRangesExclude: '*' }, 'all outbound IP ranges cannot be excluded ("*")'],
    [{ excludeInterfaces: 'eth0;reboot' }, 'excluded interface "eth0;reboot" is not valid'],
    [{ excludeInterfaces: 'eth0\n-A OUTPUT' }, 'excluded interface "eth0\n-A OUTPUT" is not valid'],
    [{ rerouteVirtualInterfaces: 'a-name-of-16-char' }, 'virtual interface "a-name-of-16-char" is not valid'],
    [{ proxyUid: '$(id)' }, 'proxy UID "$(id)" is not valid'],
    [{ proxyPort: '' }, 'proxy port "" is not valid'],
    [{ inboundTproxyMark: 'red' }, 'TPROXY mark "red" is not valid'],
    [{ hostIpv4LoopbackCidr: '127.0.0.1' }, 'failed to parse CIDR 127.0.0.1'],
    [{ hostIpv4LoopbackCidr: '10.0.0.1/8' }, 'expected valid IPv4 loopback address in CIDR 10.0.0.1/8; found 10.0.0.1'],
    [{ hostIpv4LoopbackCidr: '127.0.0.1/7' }, 'expected CIDR 127.0.0.1/7 to have mask in range [8, 32]; found 7'],
    [{ hostIpv4LoopbackCidr: '::1/128' }, 'expected valid IPv4 loopback address in CIDR ::1/128; found ::1'],
    [{ redirectDns: true, dnsServersV4: ['dns.local'] }, 'DNS server "dns.local" is no IPv4 address'],
  ])('%j', (given, problem) => {
    expect(parse(given)).toEqual({ ok: false, problems: [problem] });
  });

  test('more groups than a rule can name', () => {
    const groups = Array.from({ length: 65 }, (_, index) => String(index));
    expect(parse({ ownerGroupsInclude: groups.join(',') })).toEqual({
      ok: false,
      problems: [
        'number of owner groups whose outgoing traffic should be redirected to Envoy cannot exceed 64, ' +
          `got 65: [${groups.join(' ')}]`,
      ],
    });
    expect(parse({ ownerGroupsInclude: '*', ownerGroupsExclude: groups.join(',') }).ok).toBe(true);
  });
});

test('DNS capture needs to know what to capture', () => {
  expect(parse({ redirectDns: true })).toMatchObject({
    options: { dns: { kind: 'none' } },
    warnings: [expect.any(String)],
  });
  expect(parse({ redirectDns: true, captureAllDns: true })).toMatchObject({
    options: { dns: { kind: 'all' } },
    warnings: [],
  });
  expect(parse({ redirectDns: true, dnsServersV6: ['::1'] })).toMatchObject({ options: { dns: { ipv6: ['::1'] } } });
});

test.each([
  ['10.1.2.3/8', { family: 'ipv4', cidr: '10.1.2.3/8', isLoopback: false }],
  ['127.0.0.0/8', { family: 'ipv4', cidr: '127.0.0.0/8', isLoopback: true }],
  ['2001:DB8:0:0::/32', { family: 'ipv6', cidr: '2001:db8::/32', isLoopback: false }],
  ['0:0::1/128', { family: 'ipv6', cidr: '::1/128', isLoopback: true }],
  ['::ffff:127.0.0.1/104', { family: 'ipv6', cidr: '::ffff:127.0.0.1/104', isLoopback: true }],
  ['10.0.0.0/33', undefined],
  ['10.0.0.0/08', undefined],
  ['010.0.0.0/8', undefined],
  ['::/129', undefined],
  ['fe80::1%eth0/64', undefined],
  ['', undefined],
])('range %s', (text, range) => {
  expect(parseRange(text)).toEqual(range);
});
