import type { MeshRead } from '@kedge/config';
import { encode, encodeParts, type Messages } from '@kedge/envoy-api';
import type { Diagnostic } from '@kedge/model';
import { features, proxyConfig, rawMetadata } from '@kedge/pushcontext';
import { encodedQuery } from '../encoded-query.ts';
import { envoyAddress } from '../address.ts';
import { accessLogs } from '../filters/access-log.ts';
import { connectionSettings } from '../filters/connection-settings.ts';
import { routeRequirements } from '../filters/http-connection-manager.ts';
import { filter, type ListenerFilter } from '../filters/network-filter.ts';
import { tlsInspector } from '../listeners/listener-filters.ts';
import { type Generated, guardedPiece, guardedResource, type Origin } from '../guard.ts';
import { type EncodedPiece, resourceOfBytes } from '../resource.ts';
import { gatewayFilterChain } from './filter-chain.ts';
import type { FilterChainPlan } from './filter-chain-plan.ts';
import type { ListenerPlan, Transport } from './listener-plan.ts';

const LISTENER = 'envoy.config.listener.v3.Listener';
const FILTER_CHAIN = 'envoy.config.listener.v3.FilterChain';
type Listener = Messages[typeof LISTENER];
type Address = Messages['envoy.config.core.v3.Address'];

/** A filter chain by its plan (as JSON), so that proxies with equal plans share it. */
const filterChain = encodedQuery(
  'gatewayFilterChain',
  (read: MeshRead, planJson: string, listener: string): Generated<EncodedPiece> => {
    const plan = JSON.parse(planJson) as FilterChainPlan;
    return guardedPiece(FILTER_CHAIN, listener, gatewayFilterChain(read, plan, listener), makers(plan));
  },
);

/** What a chain is made from. */
const makers = ({ from, field, server }: FilterChainPlan): readonly Origin[] => {
  const own = { ...from, field };
  return from.kind === server.from.kind ? [own] : [own, { ...server.from, field: server.field }];
};

/** A listener by its plan (as JSON). Chains that can't be made are left out of it. */
export const gatewayListener = encodedQuery('gatewayListener', (read: MeshRead, planJson: string): Generated => {
  const plan = JSON.parse(planJson) as ListenerPlan;
  const chains = plan.chains.map((chain) => read(filterChain, JSON.stringify(chain), plan.name));
  const pieces = chains.map(({ value }) => value).filter((value) => value !== undefined);
  const diagnostics: readonly Diagnostic[] = chains.flatMap((chain) => chain.diagnostics);
  if (pieces.length === 0) return { diagnostics };
  const message = listenerSettings(read, plan);
  const from = plan.chains.flatMap(makers);
  const guarded = guardedResource(LISTENER, plan.name, message, from);
  if (!guarded.value) return { diagnostics: [...diagnostics, ...guarded.diagnostics] };
  const bytes = encodeParts(LISTENER, encode(LISTENER, message), 'filterChains', pieces.map((piece) => piece.bytes)); // prettier-ignore
  const routeNames = plan.chains.flatMap(({ target }) => (target.kind === 'http' ? [target.routeName] : []));
  return { value: resourceOfBytes(LISTENER, plan.name, bytes, routeRequirements(routeNames)), from, diagnostics };
});

/** All of a listener but its chains. */
function listenerSettings(read: MeshRead, plan: ListenerPlan): Listener {
  const [primary = '', ...others] = plan.addresses;
  const { maxConnectionsPerSocketEvent } = features(read);
  const bufferLimit = connectionSettings(read)?.listenerPerConnectionBufferLimitBytes;
  const accessLog = accessLogs(read, 'gateway', 'listener');
  const filters = listenerFilters(read, plan);
  return {
    name: plan.name,
    address: socketAddress(primary, plan.port, plan.transport),
    ...(others.length > 0
      ? { additionalAddresses: others.map((other) => ({ address: socketAddress(other, plan.port, plan.transport) })) }
      : {}),
    ...(filters.length > 0 ? { listenerFilters: [...filters] } : {}),
    trafficDirection: 'OUTBOUND',
    ...(accessLog.length > 0 ? { accessLog: [...accessLog] } : {}),
    ...(maxConnectionsPerSocketEvent > 0 ? { maxConnectionsToAcceptPerSocketEvent: maxConnectionsPerSocketEvent } : {}),
    ...(bufferLimit !== undefined && bufferLimit >= 0 ? { perConnectionBufferLimitBytes: bufferLimit } : {}),
    ...(plan.transport === 'UDP' ? { udpListenerConfig: { quicOptions: {}, downstreamSocketConfig: {} } } : {}),
    ...(plan.transport === 'TCP' && read.fact(rawMetadata, 'OUTBOUND_LISTENER_EXACT_BALANCE') === 'true'
      ? { connectionBalanceConfig: { exactBalance: {} } }
      : {}),
  };
}

function socketAddress(address: string, port: number, transport: Transport): Address {
  const made = envoyAddress(address, port);
  return made.socketAddress && transport === 'UDP'
    ? { socketAddress: { ...made.socketAddress, protocol: 'UDP' } }
    : made;
}

const proxyProtocol = filter(
  'envoy.filters.listener.proxy_protocol',
  'envoy.extensions.filters.listener.proxy_protocol.v3.ProxyProtocol',
  {},
);

function listenerFilters(read: MeshRead, { transport, chains }: ListenerPlan): readonly ListenerFilter[] {
  if (transport === 'UDP') return [];
  const behindProxy = proxyConfig(read, 'gatewayTopology')?.proxyProtocol !== undefined;
  const looksIntoTls = chains.some(({ server: { kind } }) => kind !== 'http' && kind !== 'tcp');
  return [...(behindProxy ? [proxyProtocol] : []), ...(looksIntoTls ? [tlsInspector] : [])];
}
