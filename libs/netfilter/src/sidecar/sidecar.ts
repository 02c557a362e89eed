import { inbound, outbound, tcp, toPort } from '../match.ts';
import type { Rule, Ruleset } from '../rule.ts';
import { dropInvalidRules, inboundRules } from './inbound.ts';
import type { SidecarOptions } from './options.ts';
import { outboundRules } from './outbound.ts';
import { tproxyRules } from './tproxy.ts';

/** The rules that bring a pod's traffic to the proxy beside it. */
export function sidecarRuleset(options: SidecarOptions): Ruleset {
  return {
    owner: 'istio-proxy',
    families: options.families,
    rules: [
      ...interfaceRules(options),
      ...dropInvalidRules(options),
      ...proxyChains(options),
      ...inboundRules(options),
      ...outboundRules(options),
      ...tproxyRules(options),
    ],
  };
}

/** Everything that rules of a sidecar, whatever their mode, may have left behind. */
export function sidecarRemnants(options: SidecarOptions): SidecarOptions {
  return { ...options, families: ['ipv4', 'ipv6'], interception: 'TPROXY', inboundPorts: '*' };
}

/** Interfaces that are left alone, and those of virtual machines, whose traffic isn't inbound. */
function interfaceRules({ excludedInterfaces, interception, virtualInterfaces }: SidecarOptions): readonly Rule[] {
  const tables = interception === 'TPROXY' ? (['nat', 'mangle'] as const) : (['nat'] as const);
  const verdict = { kind: 'return' } as const;
  return [
    ...tables.flatMap((table) =>
      excludedInterfaces.flatMap((name): readonly Rule[] => [
        { table, chain: 'PREROUTING', matches: [inbound(name)], verdict },
        { table, chain: 'OUTPUT', matches: [outbound(name)], verdict },
      ]),
    ),
    ...virtualInterfaces.map((name): Rule => ({
      table: 'nat',
      chain: 'PREROUTING',
      position: 1,
      matches: [inbound(name)],
      verdict,
    })),
  ];
}

/** The ends of all ways: the tunnel's port as it is, outbound and inbound traffic to the proxy's two listeners. */
function proxyChains(options: SidecarOptions): readonly Rule[] {
  return [
    {
      table: 'nat',
      chain: 'ISTIO_INBOUND',
      matches: [tcp, toPort('tcp', options.inboundTunnelPort)],
      verdict: { kind: 'return' },
    },
    { table: 'nat', chain: 'ISTIO_REDIRECT', matches: [tcp], verdict: { kind: 'redirect', port: options.proxyPort } },
    {
      table: 'nat',
      chain: 'ISTIO_IN_REDIRECT',
      matches: [tcp],
      verdict: { kind: 'redirect', port: options.inboundCapturePort },
    },
  ];
}
