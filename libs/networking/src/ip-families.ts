import { isIPv4, isIPv6 } from 'node:net';
import { fact } from '@kedge/incremental';
import type { Proxy } from '@kedge/model';

/** Which IP families a proxy's own addresses are of. */
export type IpFamilies = 'v4' | 'v6' | 'dual';

export const ipFamilies = fact('ipFamilies', (proxy: Proxy): IpFamilies => {
  const addresses = proxy.ipAddresses;
  if (addresses.every((address) => isIPv4(address))) return 'v4';
  if (addresses.every((address) => isIPv6(address))) return 'v6';
  return 'dual';
});

export const supportsV4 = (families: IpFamilies): boolean => families !== 'v6';
export const supportsV6 = (families: IpFamilies): boolean => families !== 'v4';

/** Loopback addresses of the families; v4 first. */
export function localhosts(families: IpFamilies): readonly string[] {
  return [...(supportsV4(families) ? ['127.0.0.1'] : []), ...(supportsV6(families) ? ['::1'] : [])];
}

/** Source addresses by which redirection rules know connections that the proxy itself makes to its workload. */
export function inboundSources(families: IpFamilies): readonly string[] {
  return [...(supportsV4(families) ? ['127.0.0.6'] : []), ...(supportsV6(families) ? ['::6'] : [])];
}

/** Addresses that stand for all of a family; v4 first. */
export function wildcards(families: IpFamilies): readonly [string, ...string[]] {
  if (families === 'v6') return ['::'];
  return families === 'v4' ? ['0.0.0.0'] : ['0.0.0.0', '::'];
}
