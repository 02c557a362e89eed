import { tcp, toSet, user } from '../match.ts';
import type { Rule, Ruleset } from '../rule.ts';
import type { AmbientOptions } from './options.ts';

/** The sets of the addresses of the node's pods in the mesh, which the node agent keeps. */
export const podAddressSets = { ipv4: 'istio-inpod-probes-v4', ipv6: 'istio-inpod-probes-v6' } as const;

/**
 * The rules of the host: the kubelet's probes of pods in the mesh get an address of their own, so that pods can tell them
 * from traffic that the host forwards. iptables knows what a process of the host sent; nft only whose process it was.
 */
export function ambientHostRuleset(options: AmbientOptions, kubeletUid: string): Ruleset {
  const verdict = { kind: 'source-nat', addresses: options.hostProbeAddress } as const;
  const rules: readonly Rule[] = [
    {
      table: 'nat',
      chain: 'POSTROUTING',
      position: 1,
      matches: [],
      verdict: { kind: 'jump', chain: 'ISTIO_POSTRT' },
      only: 'iptables',
    },
    {
      table: 'nat',
      chain: 'ISTIO_POSTRT',
      matches: [{ kind: 'local-socket' }, tcp, toSet(podAddressSets)],
      verdict,
      only: 'iptables',
    },
    {
      table: 'nat',
      chain: 'POSTROUTING',
      matches: [tcp, user(kubeletUid), toSet(podAddressSets)],
      verdict,
      only: 'nft',
      nftOrder: 'listed',
    },
  ];
  return { owner: 'istio-ambient', families: options.enableIpv6 ? ['ipv4', 'ipv6'] : ['ipv4'], rules };
}
