import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Range } from './options.ts';

/**
 * An address range in CIDR form, its address kept as it is (10.1.2.3/8 stays so) and IPv6 in the form of RFC 5952.
 * Undefined if it isn't one.
 */
export function parseRange(text: string): Range | undefined {
  const [, address, bits] = /^([^/%]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  if (address === undefined || bits === undefined) return undefined;
  if (isIPv4(address)) {
    if (Number(bits) > 32) return undefined;
    return { family: 'ipv4', cidr: `${address}/${bits}`, isLoopback: address.startsWith('127.') };
  }
  if (!isIPv6(address) || Number(bits) > 128) return undefined;
  const parsed = ipaddr.IPv6.parse(address);
  const mapped = parsed.isIPv4MappedAddress() ? parsed.toIPv4Address().toString() : undefined;
  const canonical = mapped === undefined ? parsed.toRFC5952String() : `::ffff:${mapped}`;
  return {
    family: 'ipv6',
    cidr: `${canonical}/${bits}`,
    isLoopback: canonical === '::1' || (mapped?.startsWith('127.') ?? false),
  };
}
