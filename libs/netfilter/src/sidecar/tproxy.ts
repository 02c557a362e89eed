import { loopback, passthroughSource } from '../family.ts';
import type { Chain } from '../chain.ts';
import { connectionMark, from, group, inbound, mark, not, outbound, tcp, to, user } from '../match.ts';
import type { Match, Rule, Verdict } from '../rule.ts';
import type { SidecarOptions } from './options.ts';

/** The mark of what the proxy sends to the pod's own address, which is to come in by the inbound listener. */
const toSelfMark = '1338';

/**
 * The way back. With TPROXY the proxy connects to the application from the client's address, so the application's
 * answers would leave the pod; marks of packets and connections bring them back to the proxy.
 */
export function tproxyRules(options: SidecarOptions): readonly Rule[] {
  const { interception, loopbackRange, tproxyMark } = options;
  if (interception !== 'TPROXY') return [];
  const returned: Verdict = { kind: 'return' };
  return [
    mangle('PREROUTING', [tcp, mark(tproxyMark)], { kind: 'save-mark' }),
    mangle('OUTPUT', [tcp, outbound('lo'), mark(tproxyMark)], returned),
    ...[...options.proxyUids.map(user), ...options.proxyGids.map(group)].map((owner) =>
      mangle('OUTPUT', [not(to({ ...loopback, ipv4: loopbackRange })), tcp, outbound('lo'), owner], {
        kind: 'set-mark',
        mark: toSelfMark,
      }),
    ),
    mangle('OUTPUT', [tcp, connectionMark(tproxyMark)], { kind: 'restore-mark' }),
    // Before everything else of the chain: what was taken once, what the proxy sends on, and an application's calls to itself.
    { ...mangle('ISTIO_INBOUND', [tcp, mark(tproxyMark)], returned), position: 1 },
    { ...mangle('ISTIO_INBOUND', [tcp, from(passthroughSource), inbound('lo')], returned), position: 2 },
    { ...mangle('ISTIO_INBOUND', [tcp, inbound('lo'), not(mark(toSelfMark))], returned), position: 3 },
  ];
}

function mangle(chain: Chain, matches: readonly Match[], verdict: Verdict): Rule {
  return { table: 'mangle', chain, matches, verdict };
}
