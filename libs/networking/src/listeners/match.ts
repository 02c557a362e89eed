import type { MeshRead } from '@kedge/config';
import type { FilterChainMatch } from '@kedge/envoy-api';
import { UNSPECIFIED_ADDRESS } from '@kedge/model';
import { features } from '@kedge/pushcontext';
import { addressRange } from '../address-range.ts';
import { type OutboundMatch, takesAll } from './listener-plan.ts';

export const PLAIN_TEXT = 'raw_buffer';
export const TLS = 'tls';

/** What the HTTP inspector finds in plain text. HTTP/1.0 is better passed on as bytes than refused. */
export function plainHttpProtocols(read: MeshRead): readonly string[] {
  return [...(features(read).http10 ? ['http/1.0'] : []), 'http/1.1', 'h2c'];
}

/** Undefined for chains that take all connections. */
export function outboundMatch(read: MeshRead, match: OutboundMatch): FilterChainMatch | undefined {
  if (takesAll(match)) return undefined;
  const { serverNames, ranges, http } = match;
  const prefixRanges = ranges
    .toSorted()
    .map(addressRange)
    .filter((range) => range !== undefined)
    .filter(({ addressPrefix }) => addressPrefix !== UNSPECIFIED_ADDRESS);
  return {
    ...(prefixRanges.length > 0 ? { prefixRanges } : {}),
    ...(serverNames.length > 0 && !serverNames.includes('*') ? { serverNames: serverNames.toSorted() } : {}),
    ...(http ? { transportProtocol: PLAIN_TEXT, applicationProtocols: plainHttpProtocols(read) } : {}),
  };
}
