import type { Family } from '../family.ts';

/** All of something, or what a list names. */
export type Selection = '*' | readonly string[];

/** Everything that the rules of a sidecar depend on. Ports, marks and ids are kept as text, as they go into the rules. */
export interface SidecarOptions {
  readonly families: readonly Family[];
  /** The proxy's listener of outbound traffic. */
  readonly proxyPort: string;
  /** The proxy's listener of inbound traffic. */
  readonly inboundCapturePort: string;
  /** The port of HBONE, which peers connect to on purpose, so it isn't redirected. */
  readonly inboundTunnelPort: string;
  /** The users and groups that the proxy runs as; their traffic isn't redirected. */
  readonly proxyUids: readonly string[];
  readonly proxyGids: readonly string[];
  /** How inbound connections get to the proxy; TPROXY keeps their source address. */
  readonly interception: 'REDIRECT' | 'TPROXY';
  readonly tproxyMark: string;
  readonly tproxyRouteTable: string;
  readonly inboundPorts: Selection;
  /** Counts where all ports are included. */
  readonly inboundPortsExcluded: readonly string[];
  /** Ports of outbound traffic that are redirected whatever the address. */
  readonly outboundPorts: readonly string[];
  readonly outboundPortsExcluded: readonly string[];
  readonly outboundRanges: '*' | readonly Range[];
  readonly outboundRangesExcluded: readonly Range[];
  /** Groups whose outbound traffic is redirected. */
  readonly ownerGroups: Selection;
  /** Counts where all groups are included. */
  readonly ownerGroupsExcluded: readonly string[];
  /** Interfaces whose traffic is left alone. */
  readonly excludedInterfaces: readonly string[];
  /** Interfaces of virtual machines: what comes in there is outbound traffic. */
  readonly virtualInterfaces: readonly string[];
  /** What counts as loopback in IPv4; 127.0.0.1/32 unless the application uses other addresses of 127.0.0.0/8. */
  readonly loopbackRange: string;
  readonly dropInvalid: boolean;
  readonly dns: DnsCapture;
}

/** An address range of one family, in its canonical text. */
export interface Range {
  readonly family: Family;
  readonly cidr: string;
  readonly isLoopback: boolean;
}

/** Which DNS queries go to the agent: none, all, or those to the servers that the pod is configured with. */
export type DnsCapture = { readonly kind: 'none' } | { readonly kind: 'all' } | DnsServers;

export interface DnsServers {
  readonly kind: 'servers';
  readonly ipv4: readonly string[];
  readonly ipv6: readonly string[];
}
