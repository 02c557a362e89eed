import type { MeshRead } from '@kedge/config';
import { encode, type Listener } from '@kedge/envoy-api';
import { envoyFilterPatches, listsExtensions, meshConfig, type PatchContext } from '@kedge/pushcontext';
import { encodedQuery } from '../encoded-query.ts';
import { routeRequirements } from '../filters/http-connection-manager.ts';
import { gatewayListener } from '../gateway/listener.ts';
import { type Finding, type Generated, guardedResource, type Origin } from '../guard.ts';
import { inboundPortListener, virtualInbound } from '../listeners/inbound-listeners.ts';
import { outboundListener } from '../listeners/outbound-listener.ts';
import { virtualOutbound } from '../listeners/virtual-outbound.ts';
import { decodeResource } from '../resource.ts';
import { misplacedFilters } from './filter-order.ts';
import { fetchedRoutes } from './http-managers.ts';
import { hitsListener } from './listener-match.ts';
import { listenerChanges } from './listener-patches.ts';
import { addsIn, keysOf, patchesOf } from './patch.ts';
import { patched } from './patched.ts';

const LISTENER = 'envoy.config.listener.v3.Listener';
const CHAIN_MATCH = 'envoy.config.listener.v3.FilterChainMatch';

/** Who makes listeners, each by its plan. */
const MAKERS = {
  outbound: (read: MeshRead, plan: string) => read(outboundListener, plan),
  virtualOutbound: (read: MeshRead) => read(virtualOutbound),
  virtualInbound: (read: MeshRead) => read(virtualInbound),
  inboundPort: (read: MeshRead, plan: string) => read(inboundPortListener, plan),
  gateway: (read: MeshRead, plan: string) => read(gatewayListener, plan),
} as const satisfies Readonly<Record<string, (read: MeshRead, plan: string) => Generated>>;

type Maker = keyof typeof MAKERS;

/** A listener as it is before it is patched, and how to come by it again. */
export interface MadeListener {
  readonly maker: Maker;
  readonly plan: string;
  readonly made: Generated;
}

/** The listeners of a side, and what patches add to them. Those that no patch is for stay as all proxies have them. */
export function patchedListeners(
  read: MeshRead,
  context: PatchContext,
  listeners: readonly MadeListener[],
): readonly Generated[] {
  const keys = read(envoyFilterPatches, 'listeners', context);
  // Inbound routes stand in the listeners.
  const routes = context === 'SIDECAR_INBOUND' ? read(envoyFilterPatches, 'routes', context) : '';
  if (keys === '' && routes === '') return listeners.map(({ made }) => made);
  const patches = patchesOf(read, keys);
  const changed = listeners.map(({ maker, plan, made }) => {
    if (!made.value) return made;
    const { name } = made.value;
    const port = portOf(read, name);
    const hits = keysOf(patches.filter((patch) => hitsListener(patch, { name, port })));
    return hits === '' && routes === '' ? made : read(patchedListener, maker, plan, hits, routes);
  });
  const added = patches
    .filter((patch) => patch.applyTo === 'LISTENER' && addsIn(patch, context))
    .map(({ key }) => read(addedListener, key));
  return [...changed, ...added];
}

/** All listeners but two have their port at the end of their names. */
function portOf(read: MeshRead, name: string): number {
  const { proxyListenPort = 0, proxyInboundListenPort = 0 } = meshConfig(read);
  if (name === 'virtualOutbound') return proxyListenPort;
  if (name === 'virtualInbound') return proxyInboundListenPort;
  return Number(/_(\d+)$/.exec(name)?.[1] ?? 0);
}

/** A listener that patches are for, by their keys: it is taken apart, changed as a message, and checked anew. */
const patchedListener = encodedQuery(
  'patchedListener',
  (read: MeshRead, maker: Maker, plan: string, keys: string, routes: string): Generated => {
    const made = MAKERS[maker](read, plan);
    if (!made.value) return made;
    const changes = listenerChanges(patchesOf(read, keys), patchesOf(read, routes));
    return patched(made, decodeResource(LISTENER, made.value), changes, (listener, from) =>
      guardedListener(read, listener, from),
    );
  },
);

/** A listener that a patch adds, by the patch's key. */
const addedListener = encodedQuery('addedListener', (read: MeshRead, key: string): Generated => {
  const [patch] = patchesOf(read, key, 'LISTENER');
  return patch ? guardedListener(read, patch.value, [patch.origin]) : { diagnostics: [] };
});

function guardedListener(read: MeshRead, listener: Listener, from: readonly Origin[]): Generated {
  const requires = routeRequirements(fetchedRoutes(listener));
  const findings = [...equalChains(listener), ...noChains(listener), ...wrongOrder(read, listener)];
  return guardedResource(LISTENER, listener.name ?? '', listener, from, requires, findings);
}

/** Every Envoy that runs says what it is built with. A node that doesn't may be of any make, whose filters are unknown. */
function wrongOrder(read: MeshRead, listener: Listener): readonly Finding[] {
  const findings = misplacedFilters(listener);
  return findings.length > 0 && read.fact(listsExtensions) ? findings : [];
}

/** Envoy refuses a listener of which two chains take the same connections: those of a name, if they list any. */
function equalChains({ filterChains = [] }: Listener): readonly Finding[] {
  const taken = new Set<string>();
  return filterChains.flatMap(({ filterChainMatch = {} }, at) => {
    const { serverNames = [], ...rest } = filterChainMatch;
    const matches = serverNames.length > 0 ? serverNames.map((name) => ({ ...rest, serverNames: [name] })) : [rest];
    const keys = matches.map((match) => Buffer.from(encode(CHAIN_MATCH, match)).toString('base64'));
    if (keys.some((key) => taken.has(key)))
      return [{ path: `filterChains[${at}]`, message: 'an earlier chain takes the same connections' }];
    for (const key of keys) taken.add(key);
    return [];
  });
}

/** Where connections come in there must be a chain for them. */
function noChains(listener: Listener): readonly Finding[] {
  const { filterChains = [], defaultFilterChain, address, apiListener } = listener;
  const isTcp = address?.socketAddress !== undefined && address.socketAddress.protocol !== 'UDP';
  const isEmpty = filterChains.length === 0 && !defaultFilterChain && !apiListener;
  return isTcp && isEmpty ? [{ path: 'filterChains', message: 'must not be empty' }] : [];
}
