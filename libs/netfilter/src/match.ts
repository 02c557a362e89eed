import type { PerFamily } from './family.ts';
import type { Match, Protocol } from './rule.ts';

/** The words in which rule lists are written: a constructor for each condition. */

export const not = <M extends Match & { readonly not?: boolean }>(match: M): M => ({ ...match, not: true });

export const inbound = (name: string) => ({ kind: 'in', interface: name }) as const;
export const outbound = (name: string) => ({ kind: 'out', interface: name }) as const;

export const from = (addresses: PerFamily) => ({ kind: 'source', addresses }) as const;
export const to = (addresses: PerFamily) => ({ kind: 'destination', addresses }) as const;
export const toSet = (sets: PerFamily) => ({ kind: 'destination-in-set', sets }) as const;

export const tcp = { kind: 'protocol', protocol: 'tcp' } as const;
export const tcpModule = { kind: 'module', protocol: 'tcp' } as const;
export const udpModule = { kind: 'module', protocol: 'udp' } as const;
/** The protocol that a port of the same rule implies: iptables wants it said, nft doesn't. */
export const implied = (protocol: Protocol) => ({ kind: 'protocol', protocol, only: 'iptables' }) as const;

export const toPort = (protocol: Protocol, ...ports: readonly string[]) =>
  ({ kind: 'destination-port', protocol, ports }) as const;
export const fromPort = (protocol: Protocol, ...ports: readonly string[]) =>
  ({ kind: 'source-port', protocol, ports }) as const;

export const state = (...states: readonly string[]) => ({ kind: 'connection-state', states }) as const;
export const mark = (value: string, mask?: string) => ({ kind: 'mark', value, ...(mask && { mask }) }) as const;
export const connectionMark = (value: string, mask?: string) =>
  ({ kind: 'connection-mark', value, ...(mask && { mask }) }) as const;

export const user = (id: string) => ({ kind: 'user', id }) as const;
export const group = (id: string) => ({ kind: 'group', id }) as const;
