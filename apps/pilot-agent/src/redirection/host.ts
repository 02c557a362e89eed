import { isIP, isIPv4, isIPv6 } from 'node:net';

/** What redirection needs to know of where it runs. */
export interface HostFacts {
  /** By their names, as `networkInterfaces()` of Node tells them. */
  readonly interfaces: Readonly<Record<string, readonly InterfaceAddress[] | undefined>>;
  /** The contents of /etc/passwd. */
  readonly users: string;
  /** The contents of /etc/resolv.conf; undefined if there is none. */
  readonly resolvConf: string | undefined;
}

export interface InterfaceAddress {
  readonly address: string;
  /** Of the loopback interface. */
  readonly internal: boolean;
}

/** The pod's address, and whether the pod has IPv6. */
export interface PodAddress {
  readonly address: string;
  readonly hasIpv6: boolean;
}

/**
 * Whether rules for IPv6 are needed: with one stack, the first address of the pod decides; with two, any address does.
 * Undefined if the pod has no address yet.
 */
export function podAddress({ interfaces }: HostFacts, dualStack: boolean): PodAddress | undefined {
  const addresses = Object.values(interfaces)
    .flatMap((of) => of ?? [])
    .filter(({ address, internal }) => !internal && !isLinkLocal(address))
    .map(({ address }) => address);
  const [address] = addresses;
  if (address === undefined) return undefined;
  return { address, hasIpv6: (dualStack ? addresses : [address]).some((each) => isIPv6(each)) };
}

function isLinkLocal(address: string): boolean {
  return address.startsWith('169.254.') || /^(fe[89ab]|ff)/i.test(address);
}

/** The id of a user; undefined if there is none of that name. */
export function userId({ users }: HostFacts, name: string): string | undefined {
  return users
    .split('\n')
    .map((line) => line.split(':'))
    .find(([user]) => user === name)?.[2];
}

/** The DNS servers that the pod is configured with. */
export function dnsServers({ resolvConf = '' }: HostFacts): {
  readonly ipv4: readonly string[];
  readonly ipv6: readonly string[];
} {
  const servers = resolvConf
    .split('\n')
    .map((line) => /^nameserver\s+([^\s%]+)/.exec(line)?.[1])
    .filter((server) => server !== undefined && isIP(server) > 0) as string[];
  return { ipv4: servers.filter((server) => isIPv4(server)), ipv6: servers.filter((server) => isIPv6(server)) };
}
