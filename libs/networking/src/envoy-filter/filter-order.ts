import { type Any, isMessageName, type Listener } from '@kedge/envoy-api';
import type { Finding } from '../guard.ts';
import { chainsOf, managersIn } from './http-managers.ts';

interface Filter {
  readonly name?: string;
  readonly typedConfig?: Any;
}

type Layer = 'network' | 'http';

const NETWORK = 'envoy.extensions.filters.network';
const HTTP = 'envoy.extensions.filters.http';

const always = (): boolean => true;

/** The filters of each layer that end a chain, as an Envoy tells when it is given one in the middle. */
const TERMINAL: Readonly<Record<Layer, Readonly<Record<string, (config: Any) => boolean>>>> = {
  network: {
    [`${NETWORK}.direct_response.v3.Config`]: always,
    [`${NETWORK}.dubbo_proxy.v3.DubboProxy`]: always,
    [`${NETWORK}.echo.v3.Echo`]: always,
    [`${NETWORK}.generic_proxy.v3.GenericProxy`]: always,
    [`${NETWORK}.http_connection_manager.v3.HttpConnectionManager`]: always,
    [`${NETWORK}.redis_proxy.v3.RedisProxy`]: always,
    [`${NETWORK}.reverse_tunnel.v3.DrainAwareHttpConnectionManager`]: always,
    [`${NETWORK}.reverse_tunnel.v3.ReverseTunnel`]: always,
    [`${NETWORK}.tcp_proxy.v3.TcpProxy`]: always,
    [`${NETWORK}.thrift_proxy.v3.ThriftProxy`]: always,
  },
  http: {
    [`${HTTP}.dynamic_modules.v3.DynamicModuleFilter`]: (config) => config['terminalFilter'] === true,
    [`${HTTP}.mcp_router.v3.McpRouter`]: always,
    [`${HTTP}.router.v3.Router`]: always,
  },
};

/** Envoy refuses a listener in which a filter that ends a chain isn't the last of it, or the last one doesn't end it. */
export function misplacedFilters(listener: Listener): readonly Finding[] {
  return chainsOf(listener).flatMap(({ path, chain }) => [
    ...misplacedIn('network', chain.filters, `${path}.filters`),
    ...managersIn(chain).flatMap(({ at, manager }) =>
      misplacedIn('http', manager.httpFilters, `${path}.filters[${at}].httpFilters`),
    ),
  ]);
}

function misplacedIn(layer: Layer, filters: readonly Filter[] = [], path: string): readonly Finding[] {
  return filters.flatMap((filter, at) => {
    const isLast = at === filters.length - 1;
    const ends = isTerminal(layer, filter.typedConfig);
    if (ends === undefined || ends === isLast) return [];
    const message = isLast ? 'is the last filter and ends no chain' : 'ends the chain and is not its last filter';
    return [{ path: `${path}[${at}]`, message: `${filter.name ?? ''} ${message}` }];
  });
}

/** Undefined for filters that Envoy's API doesn't have, of which only their makers know. */
function isTerminal(layer: Layer, config: Any | undefined): boolean | undefined {
  const type = config?.['@type'].replace(/^.*\//, '') ?? '';
  const terminal = config && TERMINAL[layer][type]?.(config);
  if (terminal !== undefined) return terminal;
  return type.startsWith(`envoy.extensions.filters.${layer}.`) && isMessageName(type) ? false : undefined;
}
