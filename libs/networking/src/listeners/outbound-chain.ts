import type { MeshRead } from '@kedge/config';
import type { FilterChain } from '@kedge/envoy-api';
import { formatDuration } from '@kedge/model';
import { features } from '@kedge/pushcontext';
import { encodedQuery } from '../encoded-query.ts';
import { configMetadata } from '../config-metadata.ts';
import { httpManagerFilter } from '../filters/http-connection-manager.ts';
import type { NetworkFilter } from '../filters/network-filter.ts';
import { type Generated, guardedPiece } from '../guard.ts';
import type { EncodedPiece } from '../resource.ts';
import { outboundMode } from './catch-all.ts';
import { clashDiagnostics } from './clashes.ts';
import type { HttpTarget, OutboundChainPlan } from './listener-plan.ts';
import { outboundMatch } from './match.ts';
import { tcpTargetFilters } from './outbound-tcp-filters.ts';

/** One chain of an outbound listener, by its plan as JSON. Equal plans on listeners of the same name share it. */
export const outboundChain = encodedQuery(
  'outboundChain',
  (read: MeshRead, listener: string, planJson: string): Generated<EncodedPiece> => {
    const plan = JSON.parse(planJson) as OutboundChainPlan;
    const clashes = clashDiagnostics(listener, plan);
    if (plan.shadowed) return { diagnostics: clashes };
    const message = chainMessage(read, listener, plan);
    const made = guardedPiece('envoy.config.listener.v3.FilterChain', listener, message, plan.from);
    return { ...made, diagnostics: [...clashes, ...made.diagnostics] };
  },
);

export function chainMessage(
  read: MeshRead,
  listener: string,
  { match, target, config }: OutboundChainPlan,
): FilterChain {
  const filterChainMatch = outboundMatch(read, match);
  return {
    ...(filterChainMatch ? { filterChainMatch } : {}),
    filters: target.kind === 'http' ? [httpTargetFilter(read, listener, target)] : tcpTargetFilters(read, target),
    ...(config ? { metadata: configMetadata(config) } : {}),
    ...handshakeTimeout(read),
  };
}

/** A bound on TLS handshakes, so that slow ones don't pile up. */
function handshakeTimeout(read: MeshRead): FilterChain {
  const timeout = features(read).gatewayTransportSocketConnectTimeout;
  return timeout > 0 ? { transportSocketConnectTimeout: formatDuration(timeout) } : {};
}

function httpTargetFilter(read: MeshRead, listener: string, target: HttpTarget): NetworkFilter {
  const { routeName, grpcWeb, dynamicHost, isHttpProxy } = target;
  return httpManagerFilter(read, {
    class: 'outbound',
    statPrefix: `outbound_${listener}`,
    routes: { fetched: routeName },
    useRemoteAddress: !isHttpProxy && features(read).sidecarUseRemoteAddress,
    grpcWeb,
    isHttpProxy,
    ...(dynamicHost === undefined ? {} : { dynamicHost }),
    unknownHostsByName: read(outboundMode) === 'ALLOW_ANY_DYNAMIC_DNS',
    ...(isHttpProxy ? { settings: { httpProtocolOptions: { allowAbsoluteUrl: true } } } : {}),
  });
}
