import { isIP } from 'node:net';
import type { CidrRange } from '@kedge/envoy-api';

const BITS = { 4: 32, 6: 128 } as const;

/** An address or a range as Envoy writes it; undefined for what is neither. */
export function addressRange(text: string): CidrRange | undefined {
  const [addressPrefix = '', length, ...rest] = text.split('/');
  const version = isIP(addressPrefix);
  if ((version !== 4 && version !== 6) || rest.length > 0) return undefined;
  const prefixLen = length === undefined ? BITS[version] : /^\d+$/.test(length) ? Number(length) : Number.NaN;
  return prefixLen <= BITS[version] ? { addressPrefix, prefixLen } : undefined;
}
