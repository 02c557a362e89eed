import { isIPv6 } from 'node:net';
import type { SocketAddress } from '@kedge/envoy-api';

/** The addresses that the bootstrap's own listeners and clusters use; they follow the IP families of the workload. */
export interface LocalAddresses {
  readonly localhost: string;
  readonly wildcard: string;
  readonly dnsLookupFamily: 'V4_ONLY' | 'V6_ONLY' | 'ALL';
  /** The other family's addresses, when the workload is dual-stack and dual-stack is enabled. */
  readonly additional?: { readonly localhost: string; readonly wildcard: string };
}

const v4 = { localhost: '127.0.0.1', wildcard: '0.0.0.0' };
const v6 = { localhost: '::1', wildcard: '::' };

/** Chooses by the families of the instance's IPs; of a mixed list the first one leads if dual-stack is on, else IPv4. */
export function localAddresses(instanceIps: readonly string[], dualStack: boolean): LocalAddresses {
  const sixes = instanceIps.filter(isIPv6).length;
  if (sixes === 0) return { ...v4, dnsLookupFamily: 'V4_ONLY' };
  if (sixes === instanceIps.length) return { ...v6, dnsLookupFamily: 'V6_ONLY' };
  if (!dualStack) return { ...v4, dnsLookupFamily: 'V4_ONLY' };
  return isIPv6(instanceIps[0]!)
    ? { ...v6, additional: v4, dnsLookupFamily: 'ALL' }
    : { ...v4, additional: v6, dnsLookupFamily: 'ALL' };
}

/**
 * Splits `host:port` or `[v6]:port`. `$(HOST_IP)` as the host stands for the address of the node, which Kubernetes does not
 * expand inside a mesh config.
 * @throws Error naming `field` if there is no valid port.
 */
export function parseAddress(field: string, address: string, hostIp = ''): { host: string; port: number } {
  const match = /^(?:\[([^\]]*)\]|([^:]*)):(\d+)$/.exec(address);
  const port = Number(match?.[3]);
  if (!match || port > 65535) throw new Error(`${field}: "${address}" is not of the form host:port`);
  const host = match[1] ?? match[2] ?? '';
  return { host: host === '$(HOST_IP)' && hostIp ? hostIp : host, port };
}

export function tcpAddress(address: string, portValue: number): { socketAddress: SocketAddress } {
  return { socketAddress: { protocol: 'TCP', address, portValue } };
}
