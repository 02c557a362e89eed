import { describe, expect, test } from '@jest/globals';
import { parseSidecarSettings, type SidecarOptions } from '@kedge/netfilter';
import { collectingLogger } from '../testing/collecting-logger.ts';
import { type Answer, missingForRoot, PodNetwork, type Probe } from '../testing/pod-network.ts';
import { readRedirectionFlags, type RedirectionFlags } from './flags.ts';
import { redirect } from '@kedge/redirection';
import { redirectionSettings } from './settings.ts';

const missing = missingForRoot(['ip', 'nft', 'iptables-nft', 'iptables-legacy', '/usr/bin/python3']);
if (missing !== undefined) process.stderr.write(`tests of redirection are left out: ${missing}\n`);
const suite = missing === undefined ? describe : describe.skip;

/** The ways to write rules, as flags. */
const backends = {
  'iptables-nft': { forceIptablesBinary: 'nft' },
  'iptables-legacy': { forceIptablesBinary: 'legacy' },
  nft: { nativeNftables: true },
} as const;
type Backend = keyof typeof backends;

const base = {
  inboundPortsInclude: '*',
  inboundPortsExclude: '9090',
  outboundRangesInclude: '*',
  outboundRangesExclude: '10.79.0.0/16,fd79::/64',
  outboundPortsExclude: '7070',
  excludeInterfaces: 'eth1',
  redirectDns: true,
  dropInvalid: true,
  dualStack: true,
};

/** What the command would do in the pod with these flags. */
function configure(network: PodNetwork, backend: Backend, given: Readonly<Record<string, unknown>>) {
  const { flags } = readRedirectionFlags({ ...base, ...backends[backend], ...given }, {});
  const host = { interfaces: network.interfaces, users: '', resolvConf: 'nameserver 10.77.0.1\nnameserver fd77::1\n' };
  const { settings, podAddress } = redirectionSettings(flags, {}, host);
  const result = parseSidecarSettings(settings);
  if (!result.ok) throw new Error(result.problems.join('; '));
  const apply = async (more: Partial<RedirectionFlags> = {}, options: SidecarOptions = result.options) => {
    const { log, lines } = collectingLogger();
    await redirect({ ...flags, ...more }, options, network.run, log);
    return lines.join('\n');
  };
  return { apply, options: result.options, podAddress };
}

/** All rules in effect, whatever the backend. */
function rulesIn(network: PodNetwork, backend: Backend): string {
  if (backend === 'nft') return network.output('nft', '-s', 'list', 'ruleset');
  return ['ip', 'ip6']
    .map((prefix) => network.output(`${prefix}tables-${backend.slice('iptables-'.length)}-save`))
    .join('')
    .replaceAll(/^#.*\n|\[\d+:\d+\]/gm, '');
}

type Expectation = readonly [what: string, where: 'pod' | 'peer', probe: Probe, answer: Answer];

const proxy = 1337;
const toProxy = (port: number, original: string): Answer => ({ at: 'proxy', port, original });
const at = (role: string, port: number): Answer => ({ at: role, port });

/** Everything that holds in both families, whose addresses differ by `net` only. */
function expectations(net: (part: number, host: number) => string): readonly Expectation[] {
  const original = (host: string, port: number) => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`);
  const [peer, pod] = [net(77, 1), net(77, 2)];
  return [
    ['inbound', 'peer', { to: [pod, 8080] }, { ...toProxy(15006, original(pod, 8080)), client: peer }],
    ['excluded inbound port', 'peer', { to: [pod, 9090] }, at('application', 9090)],
    ['excluded interface, inbound', 'peer', { to: [net(78, 2), 8080] }, at('application', 8080)],
    ['outbound', 'pod', { to: [peer, 8080] }, toProxy(15001, original(peer, 8080))],
    ['the proxy itself', 'pod', { to: [peer, 8080], uid: proxy }, at('peer', 8080)],
    ['excluded range', 'pod', { to: [net(79, 1), 8080] }, at('peer', 8080)],
    ['excluded outbound port', 'pod', { to: [peer, 7070] }, at('peer', 7070)],
    ['excluded interface, outbound', 'pod', { to: [net(78, 1), 8080] }, at('peer', 8080)],
    ['the application to itself', 'pod', { to: [pod, 8080] }, at('application', 8080)],
    ['DNS by UDP', 'pod', { to: [peer, 53], udp: true }, at('proxy', 15053)],
    ['DNS by TCP', 'pod', { to: [peer, 53] }, at('proxy', 15053)],
    ["the agent's own DNS", 'pod', { to: [peer, 53], udp: true, uid: proxy }, at('peer', 53)],
    ['DNS of another server', 'pod', { to: [net(79, 1), 53], udp: true }, at('peer', 53)],
  ];
}

const ipv4 = expectations((part, host) => `10.${part}.0.${host}`);
const ipv6 = expectations((part, host) => `fd${part}::${host}`);

/** What is so with REDIRECT only: with TPROXY, the tunnel's port is taken too, and the proxy is no user of its own. */
const ofRedirect: readonly Expectation[] = [
  ['port of the tunnel', 'peer', { to: ['10.77.0.2', 15008] }, at('application', 15008)],
  ['port of the tunnel', 'peer', { to: ['fd77::2', 15008] }, at('application', 15008)],
  ['loopback', 'pod', { to: ['127.0.0.1', 8080] }, at('application', 8080)],
  ['loopback', 'pod', { to: ['::1', 8080] }, at('application', 8080)],
  ['a service that the pod is in', 'pod', { to: ['10.77.0.2', 8080], uid: proxy }, toProxy(15006, '10.77.0.2:8080')],
  ['a service that the pod is in', 'pod', { to: ['fd77::2', 8080], uid: proxy }, toProxy(15006, '[fd77::2]:8080')],
  ['passthrough', 'pod', { to: ['10.77.0.2', 8080], from: '127.0.0.6', uid: proxy }, at('application', 8080)],
  ['passthrough', 'pod', { to: ['fd77::2', 8080], from: '::6', uid: proxy }, at('application', 8080)],
];

function check(network: PodNetwork, expected: readonly Expectation[]): void {
  for (const where of ['pod', 'peer'] as const) {
    const here = expected.filter(([, place]) => place === where);
    const answers = network.probe(
      where,
      here.map(([, , probe]) => probe),
    );
    const describeAll = (of: readonly Answer[]) => here.map(([what, , { to }], i) => ({ what, to, ...of[i] }));
    expect(describeAll(answers)).toMatchObject(describeAll(here.map(([, , , answer]) => answer)));
  }
}

suite.each(Object.keys(backends) as readonly Backend[])('%s', (backend) => {
  test('REDIRECT: everything lands where it should, as often as the rules are applied', async () => {
    using network = new PodNetwork(backend);
    await network.serve('proxy', 'application', 'peer');
    const { apply, podAddress } = configure(network, backend, { inboundInterceptionMode: 'REDIRECT' });
    expect(podAddress).toBe('10.77.0.2');
    const untouched = rulesIn(network, backend);

    await apply();
    const inEffect = rulesIn(network, backend);
    check(network, [...ipv4, ...ipv6, ...ofRedirect]);

    const log = await apply();
    if (backend !== 'nft') expect(log).toContain('in effect already');
    expect(rulesIn(network, backend)).toBe(inEffect);

    // Other rules of an earlier run are an error, unless they may be replaced; in nft, replacing is one transaction anyway.
    const { apply: applyOthers } = configure(network, backend, { inboundInterceptionMode: 'TPROXY' });
    if (backend !== 'nft') await expect(applyOthers()).rejects.toThrow('rules of an earlier run are in place');
    await applyOthers({ reconcile: true });
    expect(rulesIn(network, backend)).not.toBe(inEffect);
    await apply({ reconcile: true });
    expect(rulesIn(network, backend)).toBe(inEffect);
    check(network, [...ipv4, ...ipv6, ...ofRedirect]);

    await apply({ cleanupOnly: true });
    const isOurs = /istio|1337|15006|eth1/i;
    expect(rulesIn(network, backend)).not.toMatch(isOurs);
    expect(untouched).not.toMatch(isOurs);
    check(network, [
      ['inbound', 'peer', { to: ['10.77.0.2', 8080] }, at('application', 8080)],
      ['outbound', 'pod', { to: ['fd77::1', 8080] }, at('peer', 8080)],
    ]);
    await apply({ cleanupOnly: true });

    await apply();
    expect(rulesIn(network, backend)).toBe(inEffect);
    check(network, [...ipv4.slice(0, 6), ...ipv6.slice(0, 6)]);
  });

  test('TPROXY: the application sees the client', async () => {
    using network = new PodNetwork(backend);
    await network.serve('transparent-proxy', 'application', 'peer');
    const { apply } = configure(network, backend, { inboundInterceptionMode: 'TPROXY' });
    await apply();
    await apply({ forceApply: true });
    check(network, [
      ...ipv4.slice(1),
      ...ipv6.slice(1),
      ...['10.77.0', 'fd77:'].map((net): Expectation => {
        const [pod, peer] = [`${net}${net.includes('.') ? '.' : ':'}2`, `${net}${net.includes('.') ? '.' : ':'}1`];
        const original = pod.includes(':') ? `[${pod}]:8080` : `${pod}:8080`;
        const upstream = { ...at('application', 8080), client: peer };
        return ['inbound', 'peer', { to: [pod, 8080] }, { ...toProxy(15006, original), client: peer, upstream }];
      }),
    ]);
    await apply({ cleanupOnly: true });
    expect(network.output('ip', 'rule')).not.toContain('133');
    expect(network.output('ip', '-6', 'rule')).not.toContain('133');
    expect(rulesIn(network, backend)).not.toMatch(/istio|1337|1338|0x539|0x53a|eth1/i);
  });
});
