import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import {
  applyIptables,
  applyNft,
  addRoutes,
  defaultSidecarSettings,
  detectVariant,
  parseSidecarSettings,
  sidecarRoutes,
  sidecarRuleset,
} from '@kedge/netfilter';
import { missingForRoot, PodNetwork } from '../testing/pod-network.ts';

const envoy = process.env.ENVOY_BIN;
const missing =
  missingForRoot(['ip', 'nft', 'iptables-nft', 'iptables-legacy', 'nsenter', '/usr/bin/python3']) ??
  (envoy ? undefined : 'ENVOY_BIN is not set');
if (missing !== undefined) process.stderr.write(`redirection to an Envoy is left out: ${missing}\n`);
const suite = missing === undefined ? describe : describe.skip;

const address = (host: string, port: number) => ({ socket_address: { address: host, port_value: port } });

/** A listener that sends connections on to where they were meant to go. */
const listener = (host: string, port: number, cluster: string) => ({
  name: `${host}_${port}`,
  address: address(host, port),
  listener_filters: [
    {
      name: 'envoy.filters.listener.original_dst',
      typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.listener.original_dst.v3.OriginalDst' },
    },
  ],
  filter_chains: [
    {
      filters: [
        {
          name: 'envoy.filters.network.tcp_proxy',
          typed_config: {
            '@type': 'type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy',
            stat_prefix: cluster,
            cluster,
          },
        },
      ],
    },
  ],
});

const passthrough = (name: string, source?: string) => ({
  name,
  type: 'ORIGINAL_DST',
  lb_policy: 'CLUSTER_PROVIDED',
  ...(source && { upstream_bind_config: { source_address: { address: source, port_value: 0 } } }),
});

const bootstrap = {
  node: { id: 'pod', cluster: 'pod' },
  admin: { address: address('127.0.0.1', 15000) },
  static_resources: {
    listeners: [
      listener('0.0.0.0', 15001, 'out'),
      listener('::', 15001, 'out'),
      listener('0.0.0.0', 15006, 'in-ipv4'),
      listener('::', 15006, 'in-ipv6'),
    ],
    clusters: [passthrough('out'), passthrough('in-ipv4', '127.0.0.6'), passthrough('in-ipv6', '::6')],
  },
};

const ready = async (network: PodNetwork): Promise<void> => {
  for (let tries = 0; tries < 40; tries++) {
    const answer = stats(network);
    if (answer.includes('server.state: 0')) return;
    await sleep(100);
  }
  throw new Error('Envoy does not get ready');
};

/** What Envoy counts; nothing while it doesn't answer. */
function stats(network: PodNetwork): string {
  const ask =
    "fetch('http://127.0.0.1:15000/stats').then((r) => r.text()).then((t) => process.stdout.write(t), () => {})";
  return network.output(process.execPath, '-e', ask);
}

/** The variant of iptables; undefined for nft. */
const backends = { 'iptables-nft': 'nft', 'iptables-legacy': 'legacy', nft: undefined } as const;

suite.each(Object.entries(backends))('%s', (backend, forced) => {
  test('connections pass through an Envoy to where they were meant to go, and do not come back to it', async () => {
    using network = new PodNetwork(`envoy-${backend}`);
    const parsed = parseSidecarSettings({
      ...defaultSidecarSettings,
      inboundPortsInclude: '*',
      outboundRangesInclude: '*',
      enableIpv6: true,
    });
    if (!parsed.ok) throw new Error(parsed.problems.join('; '));
    const ruleset = sidecarRuleset(parsed.options);
    const { run } = network;
    if (forced === undefined) await applyNft(run, ruleset);
    else {
      const variants = {
        ipv4: await detectVariant(run, 'ipv4', forced),
        ipv6: await detectVariant(run, 'ipv6', forced),
      };
      await applyIptables({ run, variants }, ruleset, { reconcile: false, force: false, confirm: true });
    }
    await addRoutes(run, sidecarRoutes(parsed.options));
    await network.serve('application', 'peer');
    network.start(
      1337,
      envoy!,
      '--config-yaml',
      JSON.stringify(bootstrap),
      '--use-dynamic-base-id',
      '--concurrency',
      '1',
      '-l',
      'error',
    );
    await ready(network);

    expect(network.probe('peer', [{ to: ['10.77.0.2', 8080] }, { to: ['fd77::2', 8080] }])).toMatchObject([
      { at: 'application', port: 8080, client: '127.0.0.6' },
      { at: 'application', port: 8080, client: '::6' },
    ]);
    expect(network.probe('pod', [{ to: ['10.77.0.1', 8080] }, { to: ['fd77::1', 8080] }])).toMatchObject([
      { at: 'peer', port: 8080, client: '10.77.0.2' },
      { at: 'peer', port: 8080, client: 'fd77::2' },
    ]);
    const counted = stats(network);
    for (const count of [
      'tcp.in-ipv4.downstream_cx_total: 1',
      'tcp.in-ipv6.downstream_cx_total: 1',
      'tcp.out.downstream_cx_total: 2',
    ]) {
      expect(counted).toContain(`${count}\n`);
    }
  });
});
