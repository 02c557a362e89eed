import type { MeshRead } from '@kedge/config';
import type { FilterChain, Listener } from '@kedge/envoy-api';
import { formatDuration } from '@kedge/model';
import { meshConfig, rawMetadata } from '@kedge/pushcontext';
import { encodedQuery } from '../encoded-query.ts';
import { envoyAddress } from '../address.ts';
import { routeRequirements } from '../filters/http-connection-manager.ts';
import { guardedPiece } from '../guard.ts';
import { assembledListener } from './assemble.ts';
import { catchAllFilters } from './catch-all.ts';
import { httpInspector, tlsInspector } from './listener-filters.ts';
import { type OutboundChainPlan, type OutboundListenerPlan, takesAll } from './listener-plan.ts';
import { chainMessage, outboundChain } from './outbound-chain.ts';
import { exactBalance, socketLimits } from './socket.ts';

/** An outbound listener by its plan as JSON. */
export const outboundListener = encodedQuery('outboundListener', (read: MeshRead, planJson: string) => {
  const plan = JSON.parse(planJson) as OutboundListenerPlan;
  const { name, binding, port, chains } = plan;
  const { own, rest } = fallback(read, plan);
  const [primary = '', ...others] = binding.addresses;
  const listener: Listener & { readonly name: string } = {
    name,
    address: envoyAddress(primary, port),
    ...(others.length > 0
      ? { additionalAddresses: others.map((address) => ({ address: envoyAddress(address, port) })) }
      : {}),
    ...(rest ? { defaultFilterChain: rest } : {}),
    trafficDirection: 'OUTBOUND',
    continueOnListenerFiltersTimeout: true,
    ...exactBalance(read.fact(rawMetadata, 'OUTBOUND_LISTENER_EXACT_BALANCE')),
    ...(binding.toPort ? socketLimits(read) : { bindToPort: false }),
    ...inspectors(read, chains),
  };
  const routes = chains.flatMap(({ target }) => (target.kind === 'http' ? [target.routeName] : []));
  return assembledListener(
    listener,
    own.map((chain) => read(outboundChain, name, JSON.stringify(chain))),
    chains.flatMap(({ from }) => from),
    routeRequirements(routes),
  );
});

/**
 * The chain that takes all connections comes last, as the listener's default, where there are others: a connection that
 * begins to match one of these and then doesn't would be dropped otherwise. Listeners without such a chain pass on to
 * wherever the connection was bound for, as the outbound policy has it.
 */
function fallback(
  read: MeshRead,
  { name, chains }: OutboundListenerPlan,
): { readonly own: readonly OutboundChainPlan[]; readonly rest?: FilterChain } {
  const isOpen = (chain: OutboundChainPlan): boolean => takesAll(chain.match) && !chain.shadowed;
  const own = chains.filter((chain) => !isOpen(chain));
  const open = chains.find(isOpen);
  if (open && own.length === 0) return { own: [open] };
  if (open) {
    const rest = chainMessage(read, name, open);
    const { value } = guardedPiece('envoy.config.listener.v3.FilterChain', name, rest, open.from);
    if (value) return { own, rest };
  }
  return { own, rest: { filterChainMatch: {}, filters: catchAllFilters(read), name: 'PassthroughFilterChain' } };
}

function inspectors(read: MeshRead, chains: readonly OutboundChainPlan[]): Listener {
  const readsNames = chains.some(
    ({ match, target }) => match.serverNames.length > 0 || (target.kind === 'tcp' && target.dynamic),
  );
  const detectsHttp = chains.some(({ match }) => match.http);
  const filters = [...(readsNames ? [tlsInspector] : []), ...(detectsHttp ? [httpInspector] : [])];
  const timeout = detectsHttp ? (meshConfig(read).protocolDetectionTimeout ?? 0) : 0;
  return {
    ...(filters.length > 0 ? { listenerFilters: filters } : {}),
    listenerFiltersTimeout: formatDuration(timeout),
  };
}
