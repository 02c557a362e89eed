import type { Chain, Table } from '../chain.ts';
import type { Family } from '../family.ts';
import { from, fromPort, group, implied, tcp, to, toPort, user } from '../match.ts';
import type { Match, Rule, Verdict } from '../rule.ts';
import type { DnsServers, SidecarOptions } from './options.ts';

/** Where the agent answers DNS queries. */
const agentPort = '15053';

/** Zones of connection tracking keep apart what would look like the same UDP connection: */
const zones = {
  /** the agent and the DNS servers, */
  upstream: 1,
  /** the applications and the agent. */
  clients: 2,
} as const;

/** DNS queries go to the agent: all of them, or those to the pod's DNS servers, so that a local forwarder isn't a loop. */
export function dnsRules(options: SidecarOptions): readonly Rule[] {
  const { dns } = options;
  if (dns.kind === 'none') return [];
  const captured = capturedFamilies(options);
  const limited = captured && { families: captured };
  return [
    rule('raw', 'OUTPUT', [], jump('ISTIO_OUTPUT_DNS')),
    { ...rule('nat', 'ISTIO_OUTPUT', [], jump('ISTIO_OUTPUT_DNS')), ...limited },
    ...(dns.kind === 'all'
      ? [
          rule('nat', 'ISTIO_OUTPUT_DNS', [tcp, toPort('tcp', '53')], toAgent),
          rule('nat', 'ISTIO_OUTPUT_DNS', [implied('udp'), toPort('udp', '53')], toAgent),
        ]
      : (['tcp', 'udp'] as const).flatMap((protocol) =>
          addresses(dns).map((server) =>
            rule('nat', 'ISTIO_OUTPUT_DNS', [implied(protocol), toPort(protocol, '53'), to(server)], toAgent),
          ),
        )),
    ...[...options.proxyUids.map(user), ...options.proxyGids.map(group)].flatMap((owner) => [
      zoned('ISTIO_OUTPUT_DNS', [toPort('udp', '53'), owner], zones.upstream),
      zoned('ISTIO_OUTPUT_DNS', [fromPort('udp', agentPort), owner], zones.clients),
    ]),
    { ...rule('raw', 'PREROUTING', [], jump('ISTIO_INBOUND')), ...limited },
    ...(dns.kind === 'all'
      ? [
          zoned('ISTIO_OUTPUT_DNS', [toPort('udp', '53')], zones.clients),
          zoned('ISTIO_INBOUND', [fromPort('udp', '53')], zones.upstream),
        ]
      : addresses(dns).flatMap((server) => [
          zoned('ISTIO_OUTPUT_DNS', [toPort('udp', '53'), to(server)], zones.clients),
          zoned('ISTIO_INBOUND', [fromPort('udp', '53'), from(server)], zones.upstream),
        ])),
  ];
}

/** The families that have servers; undefined if all are captured. */
function capturedFamilies({ dns }: SidecarOptions): readonly Family[] | undefined {
  if (dns.kind !== 'servers') return undefined;
  return (['ipv4', 'ipv6'] as const).filter((family) => dns[family].length > 0);
}

function addresses({ ipv4, ipv6 }: DnsServers) {
  return [
    ...ipv4.map((address) => ({ ipv4: `${address}/32` })),
    ...ipv6.map((address) => ({ ipv6: `${address}/128` })),
  ];
}

const toAgent: Verdict = { kind: 'redirect', port: agentPort };
const jump = (chain: Chain): Verdict => ({ kind: 'jump', chain });

function rule(table: Table, chain: Chain, matches: readonly Match[], verdict: Verdict): Rule {
  return { table, chain, matches, verdict };
}

function zoned(chain: Chain, matches: readonly Match[], zone: number): Rule {
  return { ...rule('raw', chain, [implied('udp'), ...matches], { kind: 'conntrack-zone', zone }), nftOrder: 'listed' };
}
