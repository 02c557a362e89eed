import { loopback } from '../family.ts';
import { not, state, tcp, to, toPort } from '../match.ts';
import type { Match, Rule, Verdict } from '../rule.ts';
import type { SidecarOptions } from './options.ts';

/** Connections that come in from outside: to the proxy, but for excluded ports. */
export function inboundRules(options: SidecarOptions): readonly Rule[] {
  const { inboundPorts } = options;
  if (inboundPorts !== '*' && inboundPorts.length === 0) return [];
  return [
    ...(options.interception === 'TPROXY' ? tproxyChains(options) : []),
    {
      ...inboundTable(options),
      chain: 'PREROUTING',
      matches: [tcp],
      verdict: { kind: 'jump', chain: 'ISTIO_INBOUND' },
    },
    ...(inboundPorts === '*'
      ? [
          ...options.inboundPortsExcluded.map((port) =>
            inbound(options, [tcp, toPort('tcp', port)], { kind: 'return' }),
          ),
          ...capture(options, []),
        ]
      : inboundPorts.flatMap((port) => capture(options, [toPort('tcp', port)]))),
  ];
}

const inboundTable = ({ interception }: SidecarOptions) =>
  ({ table: interception === 'TPROXY' ? 'mangle' : 'nat' }) as const;

function inbound(options: SidecarOptions, matches: readonly Match[], verdict: Verdict): Rule {
  return { ...inboundTable(options), chain: 'ISTIO_INBOUND', matches, verdict };
}

/** TPROXY takes new connections; packets of those that have a socket already are only marked. */
function capture(options: SidecarOptions, port: readonly Match[]): readonly Rule[] {
  if (options.interception === 'REDIRECT') {
    return [inbound(options, [tcp, ...port], { kind: 'jump', chain: 'ISTIO_IN_REDIRECT' })];
  }
  return [
    inbound(options, [tcp, ...port, state('related', 'established')], { kind: 'jump', chain: 'ISTIO_DIVERT' }),
    inbound(options, [tcp, ...port], { kind: 'jump', chain: 'ISTIO_TPROXY' }),
  ];
}

/** Marked packets are routed to the loopback interface (see `sidecarRoutes`), and so reach the proxy's socket. */
function tproxyChains({ loopbackRange, inboundCapturePort, tproxyMark }: SidecarOptions): readonly Rule[] {
  return [
    { table: 'mangle', chain: 'ISTIO_DIVERT', matches: [], verdict: { kind: 'set-mark', mark: tproxyMark } },
    { table: 'mangle', chain: 'ISTIO_DIVERT', matches: [], verdict: { kind: 'accept' } },
    {
      table: 'mangle',
      chain: 'ISTIO_TPROXY',
      matches: [not(to({ ...loopback, ipv4: loopbackRange })), tcp],
      verdict: { kind: 'tproxy', port: inboundCapturePort, mark: tproxyMark },
    },
  ];
}

/** Packets that don't belong to a connection are dropped, so that the kernel doesn't reset the connection for them. */
export function dropInvalidRules({ dropInvalid }: SidecarOptions): readonly Rule[] {
  if (!dropInvalid) return [];
  return [
    {
      table: 'mangle',
      chain: 'PREROUTING',
      matches: [{ ...tcp, only: 'nft' }, state('invalid')],
      verdict: { kind: 'jump', chain: 'ISTIO_DROP' },
    },
    { table: 'mangle', chain: 'ISTIO_DROP', matches: [], verdict: { kind: 'drop' } },
  ];
}
