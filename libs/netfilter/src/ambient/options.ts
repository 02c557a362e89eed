import type { PerFamily } from '../family.ts';

/** What the rules of ambient mode depend on. */
export interface AmbientOptions {
  readonly enableIpv6: boolean;
  readonly redirectDns: boolean;
  /** Where the host's probes seem to come from, by which pods know them. */
  readonly hostProbeAddress: Required<PerFamily>;
}

/** The addresses of probes, unless configured otherwise. */
export const defaultHostProbeAddress: Required<PerFamily> = {
  ipv4: '169.254.7.127',
  ipv6: 'fd16:9254:7127:1337:ffff:ffff:ffff:ffff',
};

/** What a pod says of itself, by annotations. */
export interface PodOverrides {
  /** Its inbound traffic isn't taken (`ambient.istio.io/bypass-inbound-capture`). */
  readonly ingressMode: boolean;
  /** Interfaces of virtual machines, whose traffic is outbound (`istio.io/reroute-virtual-interfaces`). */
  readonly virtualInterfaces: readonly string[];
  /** Wins over the mesh's setting (`ambient.istio.io/dns-capture`). */
  readonly dnsCapture?: boolean;
}
