import { loopback, passthroughSource } from '../family.ts';
import { from, group, implied, inbound, not, outbound, tcp, to, toPort, user } from '../match.ts';
import type { Match, Rule, Verdict } from '../rule.ts';
import { dnsRules } from './dns.ts';
import type { Range, SidecarOptions } from './options.ts';

/** What the pod's own processes send: to the proxy, but for what the proxy sends itself and what is excluded. */
export function outboundRules(options: SidecarOptions): readonly Rule[] {
  const { loopbackRange, outboundPorts, outboundPortsExcluded, outboundRangesExcluded } = options;
  return [
    { table: 'nat', chain: 'OUTPUT', matches: [], verdict: { kind: 'jump', chain: 'ISTIO_OUTPUT' } },
    ...outboundPortsExcluded.flatMap((port) => [
      output([implied('tcp'), toPort('tcp', port)], { kind: 'return' }),
      output([implied('udp'), toPort('udp', port)], { kind: 'return' }),
    ]),
    output([outbound('lo'), from(passthroughSource)], { kind: 'return' }),
    ...options.proxyUids.flatMap((id) => proxyRules(options, user(id))),
    ...options.proxyGids.flatMap((id) => proxyRules(options, group(id))),
    ...ownerGroupRules(options),
    ...dnsRules(options),
    // Whoever names the loopback address wants the other container, not the mesh.
    output([to({ ...loopback, ipv4: loopbackRange })], { kind: 'return' }),
    ...byFamily(outboundRangesExcluded).map((range) => output([toRange(range)], { kind: 'return' })),
    ...outboundPorts.map((port) => output([implied('tcp'), toPort('tcp', port)], toProxy)),
    ...includedRanges(options),
  ];
}

const toProxy: Verdict = { kind: 'jump', chain: 'ISTIO_REDIRECT' };

function output(matches: readonly Match[], verdict: Verdict): Rule {
  return { table: 'nat', chain: 'ISTIO_OUTPUT', matches, verdict };
}

const toRange = ({ family, cidr }: Range) => to({ [family]: cidr });

function byFamily(ranges: readonly Range[]): readonly Range[] {
  return ranges.toSorted((a, b) => a.family.localeCompare(b.family));
}

/** Traffic of the proxy's user or group, and traffic on the loopback interface of all others. */
function proxyRules(options: SidecarOptions, owner: Match & { readonly kind: 'user' | 'group' }): readonly Rule[] {
  const { dns, inboundTunnelPort, loopbackRange } = options;
  const capturesDns = dns.kind !== 'none';
  // The agent's own queries, which it sends as this user, don't go through the proxy.
  const exempt = capturesDns && owner.kind === 'user' ? ['53', inboundTunnelPort] : [inboundTunnelPort];
  const addressesLoopback = options.outboundRanges !== '*' && options.outboundRanges.some((range) => range.isLoopback);
  return [
    // The application called a service that it is itself an endpoint of: in by the inbound listener, as from outside.
    output([outbound('lo'), not(to({ ...loopback, ipv4: loopbackRange })), tcp, not(toPort('tcp', ...exempt)), owner], {
      kind: 'jump',
      chain: 'ISTIO_IN_REDIRECT',
    }),
    // The application called itself by the pod's address. A DNS server on the pod's address is still captured.
    ...(addressesLoopback
      ? []
      : [
          output([outbound('lo'), ...(capturesDns ? [tcp, not(toPort('tcp', '53'))] : []), not(owner)], {
            kind: 'return',
          }),
        ]),
    // Everything else of the proxy goes where it is meant to go: no loops.
    output([owner], { kind: 'return' }),
  ];
}

function ownerGroupRules({ ownerGroups, ownerGroupsExcluded }: SidecarOptions): readonly Rule[] {
  if (ownerGroups === '*') return ownerGroupsExcluded.map((id) => output([group(id)], { kind: 'return' }));
  return [
    output(
      ownerGroups.map((id) => not(group(id))),
      { kind: 'return' },
    ),
  ];
}

function includedRanges({ outboundRanges, virtualInterfaces }: SidecarOptions): readonly Rule[] {
  const ofVirtualMachines = (...matches: readonly Match[]) =>
    virtualInterfaces.map((name): Rule => ({
      table: 'nat',
      chain: 'PREROUTING',
      position: 1,
      matches: [inbound(name), ...matches],
      verdict: toProxy,
    }));
  if (outboundRanges === '*') return [output([], toProxy), ...ofVirtualMachines()];
  return byFamily(outboundRanges).flatMap((range) => [
    ...ofVirtualMachines(toRange(range)),
    output([toRange(range)], toProxy),
  ]);
}
