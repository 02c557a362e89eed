import type { Chain, Table } from '../chain.ts';
import { loopback } from '../family.ts';
import {
  connectionMark,
  from,
  fromPort,
  implied,
  inbound,
  mark,
  not,
  outbound,
  tcp,
  tcpModule,
  to,
  toPort,
  udpModule,
} from '../match.ts';
import type { Match, Rule, Ruleset, Verdict } from '../rule.ts';
import { connectionMarkOfZtunnel, hex, markMask, ports, ztunnelMark } from './marks.ts';
import type { AmbientOptions, PodOverrides } from './options.ts';

const mask = hex(markMask);
const ofZtunnel = mark(ztunnelMark, mask);
const notOfZtunnel = not(ofZtunnel);
const accept: Verdict = { kind: 'accept' };
const redirect = (port: string): Verdict => ({ kind: 'redirect', port });

const nat = (chain: Chain, matches: readonly Match[], verdict: Verdict): Rule => ({
  table: 'nat',
  chain,
  matches,
  verdict,
});

/** The rules inside of a pod's network namespace that bring its traffic to ztunnel, which listens there. */
export function ambientPodRuleset(options: AmbientOptions, pod: PodOverrides): Ruleset {
  const capturesDns = pod.dnsCapture ?? options.redirectDns;
  return {
    owner: 'istio-ambient',
    families: options.enableIpv6 ? ['ipv4', 'ipv6'] : ['ipv4'],
    rules: [
      ...jumps(capturesDns),
      ...virtualInterfaceRules(pod),
      ...connectionMarkRules(),
      ...probeRules(options, pod),
      ...(pod.ingressMode ? [] : inboundRules()),
      ...(capturesDns ? dnsRules() : []),
      ...outboundRules(),
    ],
  };
}

/** All rules of ours are in chains of ours, so that they are found and removed without touching others'. */
function jumps(capturesDns: boolean): readonly Rule[] {
  const jump = (table: Table, chain: Chain, target: Chain): Rule => ({
    table,
    chain,
    matches: [],
    verdict: { kind: 'jump', chain: target },
    counted: false,
  });
  return [
    jump('mangle', 'PREROUTING', 'ISTIO_PRERT'),
    jump('mangle', 'OUTPUT', 'ISTIO_OUTPUT'),
    jump('nat', 'OUTPUT', 'ISTIO_OUTPUT'),
    ...(capturesDns ? [jump('raw', 'PREROUTING', 'ISTIO_PRERT'), jump('raw', 'OUTPUT', 'ISTIO_OUTPUT')] : []),
    jump('nat', 'PREROUTING', 'ISTIO_PRERT'),
  ];
}

/** What comes from a virtual machine is outbound traffic; of the rest, UDP stays as it is. */
function virtualInterfaceRules({ virtualInterfaces }: PodOverrides): readonly Rule[] {
  return virtualInterfaces.flatMap((name) => [
    nat('ISTIO_PRERT', [inbound(name), tcp], redirect(ports.outbound)),
    nat('ISTIO_PRERT', [inbound(name), tcp], { kind: 'return' }),
  ]);
}

/** Connections of ztunnel are marked by their first packets; their answers get the mark, by which they are routed to it. */
function connectionMarkRules(): readonly Rule[] {
  return [
    {
      table: 'mangle',
      chain: 'ISTIO_PRERT',
      matches: [{ ...ofZtunnel, nft: `meta mark & ${mask} == ${ztunnelMark}` }],
      verdict: { kind: 'set-connection-mark', mark: connectionMarkOfZtunnel, mask: markMask },
    },
    {
      table: 'mangle',
      chain: 'ISTIO_OUTPUT',
      matches: [connectionMark(hex(connectionMarkOfZtunnel), mask)],
      verdict: { kind: 'restore-mark', mask: '0xffffffff' },
    },
  ];
}

/** Probes of the kubelet, which the host gives an address of their own, pass by. */
function probeRules({ hostProbeAddress }: AmbientOptions, { ingressMode }: PodOverrides): readonly Rule[] {
  return [
    ...(ingressMode ? [] : [nat('ISTIO_PRERT', [from(hostProbeAddress), tcp, tcpModule], accept)]),
    nat('ISTIO_OUTPUT', [to(hostProbeAddress), tcp, tcpModule], accept),
  ];
}

/** What comes in unencrypted; the tunnel's port is ztunnel's already. */
function inboundRules(): readonly Rule[] {
  const rule = (own: Partial<typeof loopback>, unmarked: Match) =>
    nat(
      'ISTIO_PRERT',
      [not(to(own)), implied('tcp'), not(toPort('tcp', ports.inboundTunnel)), unmarked],
      redirect(ports.inboundPlaintext),
    );
  return [
    // Istio's text of the IPv4 rule has two blanks here.
    rule({ ipv4: loopback.ipv4 }, { ...notOfZtunnel, nft: `mark and ${mask}  != ${ztunnelMark}` }),
    rule({ ipv6: loopback.ipv6 }, notOfZtunnel),
  ];
}

/** DNS queries go to ztunnel; a zone of connection tracking keeps its own queries apart from the applications'. */
function dnsRules(): readonly Rule[] {
  const zone: Verdict = { kind: 'conntrack-zone', zone: 1 };
  return [
    {
      ...nat(
        'ISTIO_OUTPUT',
        [not(outbound('lo')), implied('udp'), notOfZtunnel, udpModule, toPort('udp', '53')],
        redirect(ports.dns),
      ),
      nftOrder: 'listed',
    },
    nat('ISTIO_OUTPUT', [not(to(loopback)), implied('tcp'), toPort('tcp', '53'), notOfZtunnel], redirect(ports.dns)),
    {
      table: 'raw',
      chain: 'ISTIO_OUTPUT',
      matches: [implied('udp'), ofZtunnel, udpModule, toPort('udp', '53')],
      verdict: zone,
    },
    {
      table: 'raw',
      chain: 'ISTIO_PRERT',
      matches: [implied('udp'), notOfZtunnel, udpModule, fromPort('udp', '53')],
      verdict: zone,
    },
  ];
}

/** What applications send, but for answers to ztunnel and for their calls to themselves. */
function outboundRules(): readonly Rule[] {
  return [
    nat('ISTIO_OUTPUT', [tcp, mark(hex(connectionMarkOfZtunnel), mask)], accept),
    nat('ISTIO_OUTPUT', [not(to(loopback)), outbound('lo')], accept),
    nat('ISTIO_OUTPUT', [not(to(loopback)), tcp, notOfZtunnel], redirect(ports.outbound)),
  ];
}
