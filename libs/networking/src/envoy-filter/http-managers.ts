import { type FilterChain, type Listener, type Messages, unpackAny } from '@kedge/envoy-api';
import type { HttpConnectionManager } from '../filters/http-connection-manager.ts';
import { mapped } from './list-edits.ts';

type Filter = Messages['envoy.config.listener.v3.Filter'];

export const HTTP_MANAGER = 'envoy.filters.network.http_connection_manager';
const TYPE = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';

const managerOf = ({ name, typedConfig }: Filter): HttpConnectionManager | undefined =>
  name === HTTP_MANAGER ? unpackAny(TYPE, typedConfig) : undefined;

/** A chain with its HTTP connection managers changed; the identical one where they stay as they are. */
export function withManagers(
  chain: FilterChain,
  change: (manager: HttpConnectionManager) => HttpConnectionManager,
): FilterChain {
  const { filters = [] } = chain;
  const changed = mapped(filters, (filter) => {
    const manager = managerOf(filter);
    const next = manager && change(manager);
    if (!filter.typedConfig || next === manager) return filter;
    return { ...filter, typedConfig: { ...next, '@type': filter.typedConfig['@type'] } };
  });
  return changed === filters ? chain : { ...chain, filters: changed };
}

/** The HTTP connection managers of a chain, with their positions among its filters. */
export function managersIn({
  filters = [],
}: FilterChain): readonly { readonly at: number; readonly manager: HttpConnectionManager }[] {
  return filters.flatMap((filter, at) => {
    const manager = managerOf(filter);
    return manager ? [{ at, manager }] : [];
  });
}

/** All filter chains of a listener, with the fields that they are in. */
export function chainsOf({
  filterChains = [],
  defaultFilterChain,
}: Listener): readonly { readonly path: string; readonly chain: FilterChain }[] {
  const chains = filterChains.map((chain, at) => ({ path: `filterChains[${at}]`, chain }));
  return defaultFilterChain ? [...chains, { path: 'defaultFilterChain', chain: defaultFilterChain }] : chains;
}

/** The names of the route configurations that a listener fetches. */
export function fetchedRoutes(listener: Listener): readonly string[] {
  return chainsOf(listener)
    .flatMap(({ chain }) => managersIn(chain))
    .flatMap(({ manager }) => manager.rds?.routeConfigName ?? []);
}
