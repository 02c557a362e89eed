import { type FilterChain, type Listener, merge } from '@kedge/envoy-api';
import { HTTP_MANAGER, withManagers } from './http-managers.ts';
import { edited, mapped } from './list-edits.ts';
import {
  hitsChain,
  hitsListener,
  httpFilterTargets,
  listenerFilterTargets,
  networkFilterTargets,
  placeOf,
  type Targets,
} from './listener-match.ts';
import { mergedFilter, mergedSocket } from './merged-any.ts';
import { isFor, listsOf, merges, type Patch, type Target, type ValueOf } from './patch.ts';
import type { Change } from './patched.ts';
import { hitsRoutes, inlineRoutesChanges } from './route-patches.ts';
import { parseInboundClusterName } from '../clusters/cluster-name.ts';

/** The changes that patches make at one point in the order. */
type Phase = (patches: readonly Patch[]) => readonly Change<Listener>[];

type Predicate = (patch: Patch) => boolean;

function phase<T extends Target>(
  target: T,
  does: Predicate,
  change: (listener: Listener, patch: Patch<T>) => Listener | undefined,
): Phase {
  return (patches) =>
    patches
      .filter((patch) => isFor(patch, target))
      .filter(does)
      .map((patch) => ({
        patch,
        of: (listener) => (hitsListener(patch, placeOf(listener)) ? change(listener, patch) : listener),
      }));
}

const removes: Predicate = ({ operation }) => operation === 'REMOVE';
const adds: Predicate = ({ operation }) => operation === 'ADD';
const changes: Predicate = (patch) => merges(patch) || removes(patch);
/** Filters are merged one by one with their configurations unpacked, so how lists merge is not for the patch to say. */
const mergesFilters: Predicate = ({ operation }) => operation === 'MERGE';
const editsFilters: Predicate = (patch) => !mergesFilters(patch);

/**
 * From the whole to its parts. Of filters the lists come first, so that what one patch inserts another can merge into. Chains
 * are added last, for no patch is for what another adds.
 */
const PHASES: readonly Phase[] = [
  phase('LISTENER', changes, changedListener),
  phase('LISTENER_FILTER', editsFilters, (listener, patch) =>
    withListenerFilters(listener, listEdit(patch, listenerFilterTargets(patch))),
  ),
  phase('LISTENER_FILTER', mergesFilters, (listener, patch) => {
    const targets = listenerFilterTargets(patch);
    return targets ? withListenerFilters(listener, filterMerge(patch, targets)) : listener;
  }),
  phase('FILTER_CHAIN', changes, inChains(changedChain)),
  phase(
    'NETWORK_FILTER',
    editsFilters,
    inChains((chain, patch) => withFilters(chain, listEdit(patch, networkFilterTargets(patch)))),
  ),
  phase(
    'NETWORK_FILTER',
    mergesFilters,
    inChains((chain, patch) => withFilters(chain, filterMerge(patch, networkFilterTargets(patch)))),
  ),
  phase(
    'HTTP_FILTER',
    editsFilters,
    inChains((chain, patch) => withHttpFilters(chain, patch, listEdit(patch, httpFilterTargets(patch)))),
  ),
  phase(
    'HTTP_FILTER',
    mergesFilters,
    inChains((chain, patch) => withHttpFilters(chain, patch, filterMerge(patch, httpFilterTargets(patch)))),
  ),
  phase('FILTER_CHAIN', adds, (listener, { value }) => ({
    ...listener,
    filterChains: [...(listener.filterChains ?? []), value],
  })),
];

/**
 * What patches do to a listener.
 * @param routes patches for the route configurations that stand in it
 */
export function listenerChanges(patches: readonly Patch[], routes: readonly Patch[]): readonly Change<Listener>[] {
  return [...inlineRoutes(routes), ...PHASES.flatMap((changesOf) => changesOf(patches))];
}

function inlineRoutes(patches: readonly Patch[]): readonly Change<Listener>[] {
  return inlineRoutesChanges(patches).map(({ patch, of }) => {
    const change = inChains((chain) =>
      withManagers(chain, (manager) => {
        const { routeConfig } = manager;
        if (!routeConfig) return manager;
        const name = routeConfig.name ?? '';
        if (!hitsRoutes(patch, { name, ports: [parseInboundClusterName(name) ?? 0] })) return manager;
        const changed = of(routeConfig);
        return changed && changed !== routeConfig ? { ...manager, routeConfig: changed } : manager;
      }),
    );
    return { patch, of: (listener) => change(listener, patch) };
  });
}

function changedListener(listener: Listener, patch: Patch<'LISTENER'>): Listener | undefined {
  if (removes(patch)) return undefined;
  return merge('envoy.config.listener.v3.Listener', listener, patch.value, listsOf(patch));
}

/** A patch that brings the chain's own kind of transport socket is about that alone. */
function changedChain(chain: FilterChain, patch: Patch<'FILTER_CHAIN'>): FilterChain | undefined {
  if (removes(patch)) return undefined;
  const socket = patch.value.transportSocket;
  return socket && chain.transportSocket?.name === socket.name
    ? { ...chain, transportSocket: mergedSocket(chain.transportSocket, socket) }
    : merge('envoy.config.listener.v3.FilterChain', chain, patch.value, listsOf(patch));
}

/** Changes those chains that a patch is for. A listener without any is nothing. */
function inChains<P extends Patch>(
  change: (chain: FilterChain, patch: P) => FilterChain | undefined,
): (listener: Listener, patch: P) => Listener | undefined {
  return (listener, patch) => {
    const { filterChains = [], defaultFilterChain: rest, ...frame } = listener;
    const changed = (chain: FilterChain): FilterChain | undefined =>
      hitsChain(patch, listener, chain) ? change(chain, patch) : chain;
    const chains = mapped(filterChains, changed);
    const last = rest && changed(rest);
    if (chains === filterChains && last === rest) return listener;
    if (chains.length === 0 && !last) return undefined;
    return {
      ...frame,
      ...(chains.length > 0 ? { filterChains: chains } : {}),
      ...(last ? { defaultFilterChain: last } : {}),
    };
  };
}

type ListChange<F> = (filters: readonly F[]) => readonly F[];
type FilterTarget = 'LISTENER_FILTER' | 'NETWORK_FILTER' | 'HTTP_FILTER';

function listEdit<T extends FilterTarget>({ operation, value }: Patch<T>, targets: Targets): ListChange<ValueOf<T>> {
  return (filters) => edited(filters, operation, value, targets);
}

function filterMerge<T extends FilterTarget>({ value }: Patch<T>, targets: Targets): ListChange<ValueOf<T>> {
  return (filters) => mapped(filters, (filter) => (!targets || targets(filter) ? mergedFilter(filter, value) : filter));
}

function withListenerFilters(listener: Listener, change: ListChange<ValueOf<'LISTENER_FILTER'>>): Listener {
  const { listenerFilters = [] } = listener;
  const changed = change(listenerFilters);
  return changed === listenerFilters ? listener : { ...listener, listenerFilters: changed };
}

function withFilters(chain: FilterChain, change: ListChange<ValueOf<'NETWORK_FILTER'>>): FilterChain {
  const { filters = [] } = chain;
  const changed = change(filters);
  return changed === filters ? chain : { ...chain, filters: changed };
}

function withHttpFilters(
  chain: FilterChain,
  patch: Patch<'HTTP_FILTER'>,
  change: ListChange<ValueOf<'HTTP_FILTER'>>,
): FilterChain {
  const targets = networkFilterTargets(patch);
  if (targets && !targets({ name: HTTP_MANAGER })) return chain;
  return withManagers(chain, (manager) => {
    const { httpFilters = [] } = manager;
    const changed = change(httpFilters);
    return changed === httpFilters ? manager : { ...manager, httpFilters: changed };
  });
}
