import fc from 'fast-check';
import { type Manifest, manifests } from './manifest.ts';
import { HOSTS, portNumber, selector, someOf } from './names.ts';

/* Patches of what other objects lead to, for all proxies of a namespace or for some by their labels or metadata. */

const MANAGER = 'envoy.filters.network.http_connection_manager';

const config = (type: string, more: object = {}): object => ({ '@type': `type.googleapis.com/${type}`, ...more });

const host = fc.constantFrom(...HOSTS);

const context = fc.constantFrom('ANY', 'SIDECAR_INBOUND', 'SIDECAR_OUTBOUND', 'GATEWAY');

const vhost = fc.tuple(host, portNumber).map(([name, port]) => ({ vhost: { name: `${name}:${port}` } }));

const routesOf = fc.oneof(
  { weight: 3, arbitrary: vhost },
  { weight: 1, arbitrary: portNumber.map((number) => ({ portNumber: number })) },
  { weight: 1, arbitrary: fc.constantFrom('80', 'http.80').map((name) => ({ name })) },
);

const httpFilter = (name: string): object => ({
  listener: { filterChain: { filter: { name: MANAGER, subFilter: { name: `envoy.filters.http.${name}` } } } },
});

const buffer = (name: string): object => ({
  name,
  typedConfig: config('envoy.extensions.filters.http.buffer.v3.Buffer', { maxRequestBytes: 9 }),
});

interface Body {
  readonly applyTo: string;
  readonly match?: object;
  readonly patch: object;
}

const body: fc.Arbitrary<Body> = fc.oneof(
  fc
    .tuple(
      fc.oneof(
        host.map((service) => ({ cluster: { service } })),
        portNumber.map((number) => ({ cluster: { portNumber: number } })),
        fc.constantFrom('PassthroughCluster', 'BlackHoleCluster').map((name) => ({ cluster: { name } })),
      ),
      fc.constantFrom('1s', '2s'),
    )
    .map(([match, connectTimeout]) => ({
      applyTo: 'CLUSTER',
      match,
      patch: { operation: 'MERGE', value: { connectTimeout } },
    })),
  fc.constantFrom('x', 'y').map((name) => ({
    applyTo: 'CLUSTER',
    patch: { operation: 'ADD', value: { name, type: 'STATIC', connectTimeout: '1s' } },
  })),
  routesOf.map((routeConfiguration) => ({
    applyTo: 'VIRTUAL_HOST',
    match: { routeConfiguration },
    patch: { operation: 'MERGE', value: { requireTls: 'ALL' } },
  })),
  routesOf.map((routeConfiguration) => ({
    applyTo: 'ROUTE_CONFIGURATION',
    match: { routeConfiguration },
    patch: { operation: 'MERGE', value: { requestHeadersToRemove: ['x-gone'] } },
  })),
  fc.tuple(vhost, fc.constantFrom('INSERT_FIRST', 'ADD')).map(([routeConfiguration, operation]) => ({
    applyTo: 'HTTP_ROUTE',
    match: { routeConfiguration },
    patch: { operation, value: { name: 'own', match: { path: '/own' }, directResponse: { status: 204 } } },
  })),
  fc.tuple(fc.constantFrom('cors', 'router'), fc.constantFrom('INSERT_BEFORE', 'REPLACE')).map(([name, operation]) => ({
    applyTo: 'HTTP_FILTER',
    match: httpFilter(name),
    patch: { operation, value: buffer(`beside-${name}`) },
  })),
  portNumber.map((number) => ({
    applyTo: 'LISTENER',
    match: { listener: { portNumber: number } },
    patch: { operation: 'MERGE', value: { perConnectionBufferLimitBytes: number } },
  })),
  fc.constantFrom(15_998, 15_999).map((portValue) => ({
    applyTo: 'LISTENER',
    patch: {
      operation: 'ADD',
      value: {
        name: `own-${portValue}`,
        address: { socketAddress: { address: '127.0.0.1', portValue } },
        filterChains: [
          {
            filters: [
              {
                name: 'envoy.filters.network.tcp_proxy',
                typedConfig: config('envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy', {
                  statPrefix: 'own',
                  cluster: 'PassthroughCluster',
                }),
              },
            ],
          },
        ],
      },
    },
  })),
  fc.constantFrom('1s', '2s').map((timeout) => ({
    applyTo: 'FILTER_CHAIN',
    patch: { operation: 'MERGE', value: { transportSocketConnectTimeout: timeout } },
  })),
  fc.constantFrom(1, 2).map((code) => ({
    applyTo: 'EXTENSION_CONFIG',
    patch: {
      operation: 'ADD',
      value: {
        name: 'own',
        typedConfig: config('envoy.extensions.filters.http.lua.v3.Lua', { inlineCode: `-- ${code}` }),
      },
    },
  })),
);

/** Also for proxies that say something of themselves. */
const proxy = fc.constantFrom(
  undefined,
  undefined,
  { metadata: { ROUTER_MODE: 'sni-dnat' } },
  { metadata: { IDLE_TIMEOUT: '7s' } },
  { proxyVersion: '^1\\.32.*' },
);

const patch = fc.tuple(body, context, proxy).map(([{ match, ...rest }, place, ofProxy]) => ({
  ...rest,
  match: { context: place, ...match, ...(ofProxy && { proxy: ofProxy }) },
}));

export const envoyFilter: fc.Arbitrary<Manifest> = manifests(
  'networking.istio.io/v1alpha3',
  'EnvoyFilter',
  fc
    .tuple(
      fc.array(patch, { minLength: 1, maxLength: 3 }),
      someOf({
        workloadSelector: selector.map((labels) => ({ labels })),
        priority: fc.constantFrom(-1, 1),
      }),
    )
    .map(([configPatches, more]) => ({ configPatches, ...more })),
  {
    metadata: someOf({
      annotations: fc.constant({
        'envoyfilter.istio.io/referenced-services': 'x.example,shop/a.shop.svc.cluster.local',
      }),
    }),
  },
);
