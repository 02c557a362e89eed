import { isIP, isIPv4, isIPv6 } from 'node:net';
import type { CidrRange } from '@kedge/envoy-api';

const BITS = { 4: 32, 6: 128 } as const;

/** An address or a range as Envoy writes it; undefined for what is neither. */
export function addressRange(text: string): CidrRange | undefined {
  const [address = '', length, ...rest] = text.split('/');
  const version = isIP(address);
  if ((version !== 4 && version !== 6) || rest.length > 0) return undefined;
  const prefixLen = length === undefined ? BITS[version] : /^\d+$/.test(length) ? Number(length) : Number.NaN;
  return prefixLen <= BITS[version] ? { addressPrefix: canonicalAddress(address), prefixLen } : undefined;
}

/** The one way to write an IPv6 address (RFC 5952); IPv4 has but one. */
function canonicalAddress(address: string): string {
  return isIPv6(address) && !address.includes('%') ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
}

/** Orders ranges by address, IPv4 first, then by size, the widest first. */
export function compareRanges(a: CidrRange, b: CidrRange): number {
  const keyA = sortKey(a.addressPrefix ?? '');
  const keyB = sortKey(b.addressPrefix ?? '');
  return keyA < keyB ? -1 : keyA > keyB ? 1 : (a.prefixLen ?? 0) - (b.prefixLen ?? 0);
}

/** A text that sorts as the address does. */
function sortKey(address: string): string {
  if (isIPv4(address))
    return `4${address
      .split('.')
      .map((part) => part.padStart(3, '0'))
      .join('')}`;
  const [head = [], tail] = address.split('::').map((half) => half.split(':').filter(Boolean));
  const groups = tail ? [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail] : head;
  return `6${groups.map((group) => group.padStart(4, '0')).join('')}`;
}
