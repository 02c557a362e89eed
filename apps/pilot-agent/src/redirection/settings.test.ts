import { describe, expect, test } from '@jest/globals';
import { Command } from 'commander';
import { addRedirectionFlags, readRedirectionFlags } from './flags.ts';
import type { HostFacts } from './host.ts';
import { redirectionSettings } from './settings.ts';

const ipv4 = { address: '10.0.0.7', internal: false };
const ipv6 = { address: 'fd00::7', internal: false };
const host = (...addresses: readonly { address: string; internal: boolean }[]): HostFacts => ({
  interfaces: {
    lo: [{ address: '127.0.0.1', internal: true }],
    eth0: [{ address: 'fe80::1', internal: false }, ...addresses],
  },
  users: 'root:x:0:0::/:\nistio-proxy:x:1338:1338::/:\nmesh:x:7:7::/:\n',
  resolvConf: '# by kubelet\nnameserver 10.0.0.10\nnameserver fd00::10%eth0\nsearch svc\nnameserver x\n',
});

function read(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const command = addRedirectionFlags(new Command('x').exitOverride().configureOutput({ writeErr: () => undefined }));
  command.parse([...args], { from: 'user' });
  return readRedirectionFlags(command.opts(), environment);
}

const settingsOf = (args: readonly string[], environment: Readonly<Record<string, string>> = {}, at = host(ipv4)) =>
  redirectionSettings(read(args, environment).flags, environment, at).settings;

describe('flags', () => {
  test('the command line wins over the environment, and that over defaults', () => {
    expect(read([]).flags).toMatchObject({ proxyPort: '15001', dryRun: false, probeTimeoutMs: 5000, probePort: 15002 });
    const environment = { ISTIO_INBOUND_PORTS: '80', ENVOY_PORT: '1', DRY_RUN: 'true', PROBE_TIMEOUT: '1m' };
    const expected = { inboundPortsInclude: '80', proxyPort: '15001', dryRun: true, probeTimeoutMs: 60_000 };
    expect(read([], environment).flags).toMatchObject(expected);
    const args = ['-b', '', '--dry-run=false', '--probe-timeout', '2s'];
    expect(read(args, environment).flags).toMatchObject({
      inboundPortsInclude: '',
      dryRun: false,
      probeTimeoutMs: 2000,
    });
  });

  test("a variable of another component's wins over the flag's own", () => {
    const environment = {
      REDIRECT_DNS: 'true',
      ISTIO_META_DNS_CAPTURE: 'false',
      INVALID_DROP: '1',
      ISTIO_DUAL_STACK: 'T',
    };
    expect(read([], environment).flags).toMatchObject({ redirectDns: false, dropInvalid: true, dualStack: true });
  });

  test('as the injection template writes them', () => {
    const args = ['-p', '15001', '-u', '1337', '-m', 'REDIRECT', '-i', '*', '-x', '', '-b', '*', '-d', '15090', '-n'];
    expect(read([...args, '--run-validation', '--skip-rule-apply']).flags).toMatchObject({
      outboundRangesInclude: '*',
      outboundRangesExclude: '',
      inboundPortsExclude: '15090',
      dryRun: true,
      runValidation: true,
      skipRuleApply: true,
    });
  });

  test('bad values: an error on the command line, a warning in the environment', () => {
    expect(() => read(['--dry-run=maybe'])).toThrow('--dry-run');
    expect(() => read(['--iptables-probe-port', '65536'])).toThrow('It is no uint16');
    expect(read([], { DRY_RUN: 'maybe', DUAL_STACK: '' })).toMatchObject({
      flags: { dryRun: false },
      warnings: ['DRY_RUN: "maybe" is not readable; it is ignored'],
    });
  });
});

describe('settings', () => {
  test('the users of the proxy', () => {
    expect(settingsOf([])).toMatchObject({ proxyUid: '1338', proxyGid: '1338' });
    expect(settingsOf([], { ENVOY_USER: 'mesh' })).toMatchObject({ proxyUid: '7', proxyGid: '7' });
    expect(settingsOf([], { ENVOY_USER: 'nobody-here' })).toMatchObject({ proxyUid: '1337', proxyGid: '1337' });
    expect(settingsOf(['-u', '5', '-g', '6'])).toMatchObject({ proxyUid: '5', proxyGid: '6' });
  });

  test.each([
    [[ipv4], [], false],
    [[ipv6], [], true],
    [[ipv4, ipv6], [], false],
    [[ipv4, ipv6], ['--dual-stack'], true],
    [[ipv6, ipv4], ['--dual-stack'], true],
    [[ipv4], ['--dual-stack'], false],
  ])('addresses %j with %j: IPv6 %s', (addresses, args, enableIpv6) => {
    expect(settingsOf(args, {}, host(...addresses)).enableIpv6).toBe(enableIpv6);
  });

  test('a pod without addresses', () => {
    expect(() => settingsOf([], {}, host())).toThrow('no valid local IP address found');
    const nowhere = { interfaces: {}, users: '', resolvConf: undefined };
    expect(settingsOf(['--cleanup-only', '--redirect-dns'], {}, nowhere).enableIpv6).toBe(false);
  });

  test('DNS servers, where they are needed', () => {
    expect(settingsOf(['--redirect-dns'])).toMatchObject({ dnsServersV4: ['10.0.0.10'], dnsServersV6: ['fd00::10'] });
    expect(settingsOf(['--redirect-dns', '--capture-all-dns'])).toMatchObject({ dnsServersV4: [], dnsServersV6: [] });
    const without = { ...host(ipv4), resolvConf: undefined };
    expect(() => settingsOf(['--redirect-dns'], {}, without)).toThrow('failed to load /etc/resolv.conf');
    expect(settingsOf([], {}, without).dnsServersV4).toEqual([]);
  });

  test('what has no flag', () => {
    const environment = { ISTIO_OUTBOUND_OWNER_GROUPS: 'java', ISTIO_OUTBOUND_IPV4_LOOPBACK_CIDR: '127.0.0.1/8' };
    expect(settingsOf([], environment)).toMatchObject({
      ownerGroupsInclude: 'java',
      ownerGroupsExclude: '',
      hostIpv4LoopbackCidr: '127.0.0.1/8',
    });
  });
});
