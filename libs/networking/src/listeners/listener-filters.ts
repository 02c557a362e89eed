import type { Messages } from '@kedge/envoy-api';
import { filter, type ListenerFilter } from '../filters/network-filter.ts';

type PortPredicate = Messages['envoy.config.listener.v3.ListenerFilterChainMatchPredicate'];

export const originalDestination: ListenerFilter = filter(
  'envoy.filters.listener.original_dst',
  'envoy.extensions.filters.listener.original_dst.v3.OriginalDst',
  {},
);

/** Connections go on under the client's address. The mark keeps the redirection rules off them. */
export const originalSource: ListenerFilter = filter(
  'envoy.filters.listener.original_src',
  'envoy.extensions.filters.listener.original_src.v3.OriginalSrc',
  { mark: 1337 },
);

export const tlsInspector: ListenerFilter = filter(
  'envoy.filters.listener.tls_inspector',
  'envoy.extensions.filters.listener.tls_inspector.v3.TlsInspector',
  // A client hello is short; Envoy would set 64 KiB apart for it.
  { initialReadBufferSize: 512 },
);

export const httpInspector: ListenerFilter = filter(
  'envoy.filters.listener.http_inspector',
  'envoy.extensions.filters.listener.http_inspector.v3.HttpInspector',
  {},
);

/** Connections to any of the ports; undefined for no port at all. */
function toPorts(ports: readonly number[]): PortPredicate | undefined {
  const rules = ports
    .toSorted((a, b) => a - b)
    .map((port) => ({ destinationPortRange: { start: port, end: port + 1 } }));
  return rules.length > 1 ? { orMatch: { rules } } : rules[0];
}

/** A filter that leaves connections to some ports alone. */
export function exceptPorts(inspector: ListenerFilter, ports: readonly number[]): ListenerFilter {
  const filterDisabled = toPorts(ports);
  return filterDisabled ? { ...inspector, filterDisabled } : inspector;
}

/** A filter that looks only at connections to some ports. */
export function onlyPorts(inspector: ListenerFilter, ports: readonly number[]): ListenerFilter {
  const chosen = toPorts(ports);
  return chosen ? { ...inspector, filterDisabled: { notMatch: chosen } } : inspector;
}
