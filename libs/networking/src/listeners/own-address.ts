import { isIPv4, isIPv6 } from 'node:net';
import { fact } from '@kedge/incremental';
import type { Proxy } from '@kedge/model';

/* Addresses that no one can reach from another host, or that mean many hosts (RFC 4291, RFC 5735). */
const LOCAL_V4 = /^(0\.0\.0\.0$|127\.|169\.254\.|22[4-9]\.|23\d\.|255\.255\.255\.255$)/;
const LOCAL_V6 = /^(::1?$|fe[89ab]|ff)/i;

const isGlobalUnicast = (address: string): boolean =>
  isIPv4(address) ? !LOCAL_V4.test(address) : isIPv6(address) && !LOCAL_V6.test(address);

/** The first address at which others reach the proxy; undefined where it has none. */
export const globalUnicastAddress = fact('globalUnicastAddress', ({ ipAddresses }: Proxy) =>
  ipAddresses.find(isGlobalUnicast),
);
