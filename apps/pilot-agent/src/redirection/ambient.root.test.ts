import { describe, expect, test } from '@jest/globals';
import {
  addRoutes,
  ambientPodRoutes,
  ambientPodRuleset,
  applyIptables,
  applyNft,
  detectVariant,
  type PodOverrides,
  removeIptables,
  removeNft,
  removeRoutes,
  type VariantName,
} from '@kedge/netfilter';
import { missingForRoot, PodNetwork, type Probe } from '../testing/pod-network.ts';

const missing = missingForRoot(['ip', 'nft', 'iptables-nft', 'iptables-legacy', '/usr/bin/python3']);
if (missing !== undefined) process.stderr.write(`tests of ambient redirection are left out: ${missing}\n`);
const suite = missing === undefined ? describe : describe.skip;

const options = { enableIpv6: true, redirectDns: true, hostProbeAddress: { ipv4: '10.79.0.1', ipv6: 'fd79::1' } };
const inMesh: PodOverrides = { ingressMode: false, virtualInterfaces: [] };

const variants: readonly (readonly [name: string, variant: VariantName | undefined])[] = [
  ['iptables-nft', 'nft'],
  ['iptables-legacy', 'legacy'],
  ['nft', undefined],
];

async function apply(network: PodNetwork, forced: VariantName | undefined, overrides: PodOverrides) {
  const { run } = network;
  const ruleset = ambientPodRuleset(options, overrides);
  if (forced === undefined) {
    await applyNft(run, ruleset);
    return () => removeNft(run, ruleset.owner);
  }
  const [ipv4, ipv6] = [await detectVariant(run, 'ipv4', forced), await detectVariant(run, 'ipv6', forced)];
  const iptables = { run, variants: { ipv4, ipv6 } };
  const { problems } = await applyIptables(iptables, ruleset, { reconcile: true, force: false, confirm: true });
  expect(problems).toEqual([]);
  return () => removeIptables(iptables, ruleset);
}

suite.each(variants)('ambient mode with %s', (name, variant) => {
  test('traffic goes through ztunnel, which keeps the source', async () => {
    using network = new PodNetwork(`ambient-${name}`);
    // What it does as ztunnel: listens for redirected connections, and marks its own.
    await network.serve('transparent-proxy', 'application', 'peer');
    await apply(network, variant, inMesh);
    await addRoutes(network.run, ambientPodRoutes(options));
    for (const [pod, peer, probe] of [
      ['10.77.0.2', '10.77.0.1', '10.79.0.1'],
      ['fd77::2', 'fd77::1', 'fd79::1'],
    ] as const) {
      const inbound: readonly Probe[] = [{ to: [pod, 8080] }, { to: [pod, 15008] }, { to: [pod, 8080], from: probe }];
      expect(network.probe('peer', inbound)).toMatchObject([
        { at: 'proxy', port: 15006, upstream: { at: 'application', client: peer } },
        { at: 'application', port: 15008 },
        { at: 'application', port: 8080, client: probe },
      ]);
      const outbound: readonly Probe[] = [
        { to: [peer, 8080] },
        { to: [peer, 8080], mark: 0x539 },
        { to: [pod, 8080] },
        { to: [peer, 53], udp: true },
        { to: [peer, 53] },
        { to: [peer, 53], udp: true, mark: 0x539 },
      ];
      expect(network.probe('pod', outbound)).toMatchObject([
        { at: 'proxy', port: 15001 },
        { at: 'peer', port: 8080 },
        { at: 'application', port: 8080 },
        { at: 'proxy', port: 15053 },
        { at: 'proxy', port: 15053 },
        { at: 'peer', port: 53 },
      ]);
    }

    const remove = await apply(network, variant, { ...inMesh, ingressMode: true, dnsCapture: false });
    const direct = { at: 'application', port: 8080 };
    expect(network.probe('peer', [{ to: ['10.77.0.2', 8080] }, { to: ['fd77::2', 8080] }])).toMatchObject([
      direct,
      direct,
    ]);
    await remove();
    await removeRoutes(network.run, ambientPodRoutes(options));
    expect(network.probe('pod', [{ to: ['10.77.0.1', 8080] }])).toMatchObject([{ at: 'peer', port: 8080 }]);
  });
});
