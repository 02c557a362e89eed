import { describe, expect, test } from '@jest/globals';
import type { Cluster, FilterChain, Listener, RouteConfiguration } from '@kedge/envoy-api';
import type { Proxy } from '@kedge/model';
import type { PushContext } from '@kedge/pushcontext';
import { answer, namesKey, WILDCARD } from '../answer.ts';
import { generationDiagnostics } from '../diagnostics.ts';
import { gateway, gatewayProxy, toWeb, virtualService } from '../gateway/testing.ts';
import { meshOf, messagesOf, type MeshOptions, proxyOf, serviceManifest, withObjects } from '../testing/mesh.ts';
import { TYPE_URLS, type TypeUrl } from '../type-urls.ts';

const MESH = serviceManifest('web') + serviceManifest('cart', { address: '10.0.1.2' });
/** The workload behind `web`. */
const POD = `
apiVersion: v1
kind: Pod
metadata: {name: web-1, namespace: shop, labels: {app: web}}
status: {phase: Running, podIP: 10.0.1.1, podIPs: [{ip: 10.0.1.1}], conditions: [{type: Ready, status: "True"}]}
---`;
const workload = proxyOf('web-1', { address: '10.0.1.1' });
const MANAGER = 'envoy.filters.network.http_connection_manager';
const WEB = 'outbound|80||web.shop.svc.cluster.local';

interface FilterOptions {
  readonly namespace?: string;
  readonly spec?: string;
  readonly created?: string;
  readonly annotations?: string;
}

/** An EnvoyFilter with patches in flow style, one a line. */
function envoyFilter(name: string, patches: readonly string[], options: FilterOptions = {}): string {
  const { namespace = 'shop', spec = '', created = '2024-05-01T00:00:00Z', annotations = '{}' } = options;
  return `
apiVersion: networking.istio.io/v1alpha3
kind: EnvoyFilter
metadata: {name: ${name}, namespace: ${namespace}, creationTimestamp: "${created}", annotations: ${annotations}}
spec:
  ${spec}
  configPatches:
${patches.map((patch) => `  - ${patch}`).join('\n')}
---`;
}

const cluster = (match: string, operation: string, value = '{}'): string =>
  `{applyTo: CLUSTER, match: ${match}, patch: {operation: ${operation}, value: ${value}}}`;

const withStat = (stat: string, match = '{}'): string => cluster(match, 'MERGE', `{altStatName: "${stat}"}`);

const sidecar = proxyOf('me', { metadata: { ISTIO_VERSION: '1.32.1', ROLE: 'canary', LABELS: { app: 'me' } } });

function resources<M>(push: PushContext, type: TypeUrl, proxy: Proxy, ...names: string[]) {
  const key = names.length > 0 ? namesKey(names) : WILDCARD;
  return messagesOf(push.evaluate(proxy, answer, type, key)) as unknown as Readonly<Record<string, M>>;
}

const clustersOf = (push: PushContext, proxy = sidecar) => resources<Cluster>(push, TYPE_URLS.CDS, proxy);
const listenersOf = (push: PushContext, proxy = sidecar) => resources<Listener>(push, TYPE_URLS.LDS, proxy);
const routesOf = (push: PushContext, name: string, proxy = sidecar) =>
  resources<RouteConfiguration>(push, TYPE_URLS.RDS, proxy, name)[name];

const findings = (push: PushContext, proxy = sidecar): readonly string[] =>
  push.evaluate(proxy, generationDiagnostics).map(({ code, kind, name, field }) => `${code} ${kind} ${name} ${field}`);

const statWith = (filters: string, proxy = sidecar, options: MeshOptions = {}) =>
  clustersOf(meshOf(MESH + filters, options), proxy)[WEB]?.altStatName;

describe('which patches are for a proxy', () => {
  test.each<[string, string, string]>([
    ['of its namespace', envoyFilter('a', [withStat('x')]), 'x'],
    ['not of another', envoyFilter('a', [withStat('x')], { namespace: 'other' }), `${WEB};`],
    ['of the root namespace', envoyFilter('a', [withStat('x')], { namespace: 'istio-system' }), 'x'],
    ['for its labels', envoyFilter('a', [withStat('x')], { spec: 'workloadSelector: {labels: {app: me}}' }), 'x'],
    [
      'not for others',
      envoyFilter('a', [withStat('x')], { spec: 'workloadSelector: {labels: {app: you}}' }),
      `${WEB};`,
    ],
    ['for its version', envoyFilter('a', [withStat('x', '{proxy: {proxyVersion: "^1\\\\.32.*"}}')]), 'x'],
    ['not for another', envoyFilter('a', [withStat('x', '{proxy: {proxyVersion: "^1\\\\.31.*"}}')]), `${WEB};`],
    ['for its metadata', envoyFilter('a', [withStat('x', '{proxy: {metadata: {ROLE: canary}}}')]), 'x'],
    ['not for other', envoyFilter('a', [withStat('x', '{proxy: {metadata: {ROLE: main}}}')]), `${WEB};`],
    ['in its context', envoyFilter('a', [withStat('x', '{context: SIDECAR_OUTBOUND}')]), 'x'],
    ['not in another', envoyFilter('a', [withStat('x', '{context: GATEWAY}')]), `${WEB};`],
  ])('%s', (_, filters, expected) => {
    expect(statWith(filters)).toBe(expected);
  });

  test('a targetRef chooses the workloads of a Gateway', () => {
    const spec = 'targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: edge}]';
    const filters = envoyFilter('a', [withStat('x')], { spec });
    const labels = { 'gateway.networking.k8s.io/gateway-name': 'edge' };
    expect(statWith(filters, proxyOf('e', { type: 'router', metadata: { LABELS: labels } }))).toBe('x');
    expect(statWith(filters)).toBe(`${WEB};`);
  });

  test.each<[string, string]>([
    ['the last has its way', envoyFilter('a', [withStat('1'), withStat('2')])],
    [
      'the younger',
      envoyFilter('b', [withStat('2')]) + envoyFilter('a', [withStat('1')], { created: '2024-01-01T00:00:00Z' }),
    ],
    ['of an age by name', envoyFilter('b', [withStat('2')]) + envoyFilter('a', [withStat('1')])],
    [
      'the namespace over the root, whatever the age',
      envoyFilter('a', [withStat('2')], { created: '2024-01-01T00:00:00Z' }) +
        envoyFilter('b', [withStat('1')], { namespace: 'istio-system' }),
    ],
    [
      'priority over all that',
      envoyFilter('b', [withStat('1')]) +
        envoyFilter('a', [withStat('2')], { namespace: 'istio-system', spec: 'priority: 1' }),
    ],
    [
      'a negative one comes first',
      envoyFilter('b', [withStat('1')], { spec: 'priority: -1' }) + envoyFilter('a', [withStat('2')]),
    ],
  ])('order: %s', (_, filters) => {
    expect(statWith(filters)).toBe('2');
  });
});

describe('clusters', () => {
  test.each<[string, string, readonly string[]]>([
    ['a name', '{cluster: {name: PassthroughCluster}}', ['PassthroughCluster']],
    ['a service', '{cluster: {service: web.shop.svc.cluster.local}}', [WEB]],
    ['a port', '{context: SIDECAR_OUTBOUND, cluster: {portNumber: 80}}', [WEB, WEB.replace('web', 'cart')]],
    ['a port that nobody has', '{cluster: {portNumber: 81}}', []],
    ['a subset that nobody has', '{cluster: {subset: v1}}', []],
  ])('are matched by %s', (_, match, expected) => {
    const clusters = clustersOf(meshOf(MESH + envoyFilter('a', [withStat('x', match)])));
    const hit = Object.values(clusters).filter(({ altStatName }) => altStatName === 'x');
    expect(hit.map(({ name }) => name).sort()).toEqual([...expected].sort());
  });

  test('of inbound traffic are matched by the service, which their names do not say', () => {
    const match = '{context: SIDECAR_INBOUND, cluster: {service: web.shop.svc.cluster.local}}';
    const clusters = clustersOf(meshOf(MESH + POD + envoyFilter('a', [withStat('x', match)])), workload);
    expect(clusters['inbound|8080||']?.altStatName).toBe('x');
  });

  test('lists are appended to, or replaced', () => {
    const limits = '{circuitBreakers: {thresholds: [{priority: HIGH, maxRetries: 1}]}}';
    const count = (operation: string) =>
      clustersOf(meshOf(MESH + envoyFilter('a', [cluster('{}', operation, limits)])))[WEB]?.circuitBreakers?.thresholds
        ?.length;
    expect([count('MERGE'), count('MERGE_AND_REPLACE_LIST')]).toEqual([2, 1]);
  });

  test('that are added come once, and take nobody’s place', () => {
    const value = (name: string) => `{name: "${name}", connectTimeout: 7s, type: STATIC}`;
    const patches = [cluster('{}', 'ADD', value('mine')), cluster('{}', 'ADD', value(WEB))];
    const clusters = clustersOf(meshOf(MESH + envoyFilter('a', patches)));
    expect(clusters['mine']?.connectTimeout).toBe('7s');
    expect(clusters[WEB]?.type).toBe('EDS');
  });

  test('ask for the endpoints that their patched settings name', () => {
    const patches = [cluster(`{cluster: {name: "${WEB}"}}`, 'MERGE', '{edsClusterConfig: {serviceName: other}}')];
    const found = meshOf(MESH + envoyFilter('a', patches)).evaluate(sidecar, answer, TYPE_URLS.CDS, WILDCARD);
    expect(found.find(({ name }) => name === WEB)?.requires).toEqual([{ typeUrl: TYPE_URLS.EDS, names: ['other'] }]);
  });

  test('no patch reaches those that it is not for: they stay the identical ones', () => {
    const before = meshOf(MESH);
    const versions = before.evaluate(sidecar, answer, TYPE_URLS.CDS, WILDCARD);
    const after = withObjects(before, envoyFilter('a', [withStat('x', `{cluster: {name: "${WEB}"}}`)]));
    const changed = after.evaluate(sidecar, answer, TYPE_URLS.CDS, WILDCARD).filter((one) => !versions.includes(one));
    expect(changed.map(({ name }) => name)).toEqual([WEB]);
    expect(after.memo.computeCounts.get('patchedCluster')).toBe(1);
  });
});

describe('a patch that cannot work', () => {
  const good = withStat('good');
  const broken: readonly (readonly [string, string])[] = [
    ['makes what Envoy refuses', cluster('{}', 'MERGE', '{connectTimeout: -1s}')],
    ['adds what Envoy refuses', cluster('{}', 'ADD', '{name: mine, connectTimeout: -1s}')],
    [
      'merges what is of another type',
      `{applyTo: HTTP_FILTER, match: {listener: {filterChain: {filter: {name: ${MANAGER}, subFilter: {name: envoy.filters.http.router}}}}}, patch: {operation: MERGE, value: {typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.cors.v3.Cors}}}}`,
    ],
    [
      'adds a virtual host of a domain that is taken',
      '{applyTo: VIRTUAL_HOST, match: {routeConfiguration: {name: "80"}}, patch: {operation: ADD, value: {name: mine, domains: [mine, web.shop]}}}',
    ],
    [
      'gives a virtual host such a domain',
      '{applyTo: VIRTUAL_HOST, match: {routeConfiguration: {vhost: {name: "cart.shop.svc.cluster.local:80"}}}, patch: {operation: MERGE, value: {domains: [web.shop]}}}',
    ],
    [
      'adds a chain for connections that are taken',
      '{applyTo: FILTER_CHAIN, match: {context: SIDECAR_OUTBOUND, listener: {name: virtualOutbound}}, patch: {operation: ADD, value: {filterChainMatch: {destinationPort: 15001}, filters: []}}}',
    ],
  ];

  test.each(broken)('%s: it is left out and named, all others count', (_, patch) => {
    const plain = meshOf(MESH + envoyFilter('a', [good]));
    const push = meshOf(MESH + envoyFilter('a', [good, patch]));
    for (const type of [TYPE_URLS.CDS, TYPE_URLS.LDS]) {
      expect(resources(push, type, sidecar)).toEqual(resources(plain, type, sidecar));
    }
    expect(routesOf(push, '80')).toEqual(routesOf(plain, '80'));
    const found = new Set(findings(push).map((finding) => finding.replace(/^\S+ /, '').replace(/\.patch.*/, '')));
    expect([...found]).toEqual(['EnvoyFilter a spec.configPatches[1]']);
  });

  const inManager = `listener: {filterChain: {filter: {name: ${MANAGER}, subFilter: {name: envoy.filters.http.router}}}}`;
  const filterOf = (type: string) =>
    type.startsWith('own')
      ? `{name: x, typed_config: {"@type": type.googleapis.com/udpa.type.v1.TypedStruct, type_url: type.googleapis.com/${type}}}`
      : `{name: x, typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.${type}}}`;
  const httpFilter = (operation: string, type: string) =>
    `{applyTo: HTTP_FILTER, match: {context: SIDECAR_OUTBOUND, ${inManager}}, patch: {operation: ${operation}, value: ${filterOf(type)}}}`;
  const networkFilter = (operation: string, type: string) =>
    `{applyTo: NETWORK_FILTER, match: {context: SIDECAR_OUTBOUND, listener: {filterChain: {filter: {name: ${MANAGER}}}}}, patch: {operation: ${operation}, value: ${filterOf(type)}}}`;

  describe.each<[string, string]>([
    ['an HTTP filter after the router', httpFilter('INSERT_AFTER', 'http.cors.v3.Cors')],
    ['a second router', httpFilter('INSERT_BEFORE', 'http.router.v3.Router')],
    ['no router', httpFilter('REMOVE', 'http.cors.v3.Cors')],
    ['a filter in place of the router', httpFilter('REPLACE', 'http.cors.v3.Cors')],
    ['a network filter that ends the chain before its end', networkFilter('INSERT_BEFORE', 'network.echo.v3.Echo')],
    ['a network filter after the last', networkFilter('INSERT_AFTER', 'network.sni_cluster.v3.SniCluster')],
  ])('leaves a chain with %s', (_, patch) => {
    const stock = proxyOf('stock', { extensions: ['envoy.filters.http.router'] });
    const plain = meshOf(MESH + envoyFilter('a', [good]));
    const push = meshOf(MESH + envoyFilter('a', [good, patch]));

    test('and is left out and named for an Envoy that says what it has', () => {
      expect(listenersOf(push, stock)).toEqual(listenersOf(plain, stock));
      expect(new Set(findings(push, stock))).toEqual(new Set(['rejected-patch EnvoyFilter a spec.configPatches[1]']));
    });

    test('and counts where it is not known what the filters are', () => {
      expect(listenersOf(push)).not.toEqual(listenersOf(plain));
      expect(findings(push)).toEqual([]);
    });
  });

  test('is left out and named where the Envoy says that it lacks the extension', () => {
    const types = ['cors.v3.Cors', 'router.v3.Router'].map((type) => `envoy.extensions.filters.http.${type}`);
    const stock = proxyOf('stock', { extensionTypes: types });
    const patches = [httpFilter('INSERT_BEFORE', 'own.Filter'), httpFilter('INSERT_BEFORE', 'http.cors.v3.Cors')];
    const push = meshOf(MESH + envoyFilter('a', patches));
    expect(listenersOf(push, stock)).toEqual(listenersOf(meshOf(MESH + envoyFilter('a', patches.slice(1))), stock));
    expect(findings(push, stock)).toEqual(['unknown-extension EnvoyFilter a spec.configPatches[0].patch.value']);
    expect(findings(push)).toEqual([]);
  });

  test.each<[string, string]>([
    ['a filter in place of the last that ends the chain too', networkFilter('REPLACE', 'network.echo.v3.Echo')],
    ['a filter that Envoy’s API lacks', httpFilter('REPLACE', 'own.Filter')],
    ['a filter before the router', httpFilter('INSERT_BEFORE', 'http.cors.v3.Cors')],
  ])('is not %s', (_, patch) => {
    const stock = proxyOf('stock', { extensions: ['envoy.filters.http.router'] });
    const push = meshOf(MESH + envoyFilter('a', [patch]));
    expect(listenersOf(push, stock)).not.toEqual(listenersOf(meshOf(MESH), stock));
    expect(findings(push, stock)).toEqual([]);
  });

  test('doesn’t take those along that work together only', () => {
    const stock = proxyOf('stock', { extensions: ['envoy.filters.http.router'] });
    const pair = [httpFilter('REMOVE', 'http.router.v3.Router'), httpFilter('ADD', 'http.router.v3.Router')];
    const bad = httpFilter('INSERT_FIRST', 'http.router.v3.Router');
    const plain = meshOf(MESH + envoyFilter('a', [...pair]));
    const push = meshOf(MESH + envoyFilter('a', [...pair, bad]));
    expect(listenersOf(push, stock)).toEqual(listenersOf(plain, stock));
    expect(new Set(findings(push, stock))).toEqual(new Set(['rejected-patch EnvoyFilter a spec.configPatches[2]']));
  });

  test('a value of no known form does no harm either', () => {
    const push = meshOf(MESH + envoyFilter('a', [cluster('{}', 'MERGE', '{connectTimeout: soon}'), good]));
    expect(clustersOf(push)[WEB]?.altStatName).toBe('good');
    expect(findings(push)).toEqual(['invalid-patch EnvoyFilter a spec.configPatches[0].patch.value']);
  });

  test('fields of a newer Envoy are passed over', () => {
    expect(statWith(envoyFilter('a', [cluster('{}', 'MERGE', '{fieldToCome: 1, altStatName: x}')]))).toBe('x');
  });
});

describe('listeners', () => {
  const httpFilter = (operation: string, name: string, target = '') => {
    const sub = target ? `, subFilter: {name: ${target}}` : '';
    return `{applyTo: HTTP_FILTER, match: {context: SIDECAR_OUTBOUND, listener: {filterChain: {filter: {name: ${MANAGER}${sub}}}}}, patch: {operation: ${operation}, value: {name: ${name}, typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.cors.v3.Cors}}}}`;
  };
  const httpFilterNames = (chain: FilterChain | undefined): readonly string[] => {
    const manager = chain?.filters?.at(-1)?.typedConfig as unknown as { httpFilters: readonly { name: string }[] };
    return manager.httpFilters.map(({ name }) => name.replace('envoy.filters.http.', ''));
  };
  const namesWith = (...patches: string[]): readonly string[] => {
    const listener = listenersOf(meshOf(MESH + envoyFilter('a', patches)))['0.0.0.0_80'];
    return httpFilterNames(listener?.filterChains?.[0]);
  };
  const usual = namesWith();

  test.each<[string, readonly string[], readonly string[]]>([
    ['ADD', [httpFilter('ADD', 'x')], [...usual, 'x']],
    ['INSERT_FIRST', [httpFilter('INSERT_FIRST', 'x')], ['x', ...usual]],
    ['INSERT_BEFORE all', [httpFilter('INSERT_BEFORE', 'x')], ['x', ...usual]],
    ['INSERT_AFTER all', [httpFilter('INSERT_AFTER', 'x')], [...usual, 'x']],
    [
      'INSERT_BEFORE one',
      [httpFilter('INSERT_BEFORE', 'x', 'envoy.filters.http.router')],
      [...usual.slice(0, -1), 'x', 'router'],
    ],
    ['INSERT_AFTER one that is not there', [httpFilter('INSERT_AFTER', 'x', 'nobody')], usual],
    ['REPLACE', [httpFilter('REPLACE', 'x', 'envoy.filters.http.router')], [...usual.slice(0, -1), 'x']],
    ['REPLACE without a name', [httpFilter('REPLACE', 'x')], usual],
    ['REMOVE', [httpFilter('REMOVE', 'x', 'envoy.filters.http.router')], usual.slice(0, -1)],
    [
      'beside what another patch put there',
      [httpFilter('INSERT_FIRST', 'x'), httpFilter('INSERT_AFTER', 'second', 'x')],
      ['x', 'second', ...usual],
    ],
    [
      'a name merged',
      [httpFilter('MERGE', 'mine', 'envoy.filters.http.cors')],
      usual.map((name) => (name === 'cors' ? 'mine' : name)),
    ],
  ])('HTTP filters: %s', (_, patches, expected) => {
    expect(namesWith(...patches)).toEqual(expected);
  });

  test('ports in a match mean those of the chains in the listeners for redirected connections', () => {
    const timeout = (match: string) =>
      `{applyTo: FILTER_CHAIN, match: {context: SIDECAR_INBOUND, listener: ${match}}, patch: {operation: MERGE, value: {transportSocketConnectTimeout: 3s}}}`;
    const push = meshOf(MESH + POD + envoyFilter('a', [timeout('{portNumber: 8080}')]));
    const chains = listenersOf(push, workload)['virtualInbound']?.filterChains ?? [];
    const ports = chains.map(({ filterChainMatch, transportSocketConnectTimeout: timeout }) =>
      timeout ? filterChainMatch?.destinationPort : 0,
    );
    expect(new Set(ports)).toEqual(new Set([0, 8080]));
  });

  test('that lose all chains go, and so do those that are removed', () => {
    const removeChains =
      '{applyTo: FILTER_CHAIN, match: {context: SIDECAR_OUTBOUND, listener: {name: 0.0.0.0_80}}, patch: {operation: REMOVE}}';
    const remove =
      '{applyTo: LISTENER, match: {context: SIDECAR_OUTBOUND, listener: {name: virtualOutbound}}, patch: {operation: REMOVE}}';
    expect(Object.keys(listenersOf(meshOf(MESH + envoyFilter('a', [removeChains, remove]))))).toEqual([
      'virtualInbound',
    ]);
  });

  test('that are added ask for the routes that they name', () => {
    const chain = `{filters: [{name: ${MANAGER}, typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager, statPrefix: x, rds: {routeConfigName: "80", configSource: {ads: {}}}}}]}`;
    const add = `{applyTo: LISTENER, match: {context: SIDECAR_OUTBOUND}, patch: {operation: ADD, value: {name: mine, address: {socketAddress: {address: 127.0.0.1, portValue: 9999}}, filterChains: [${chain}]}}}`;
    const found = meshOf(MESH + envoyFilter('a', [add])).evaluate(sidecar, answer, TYPE_URLS.LDS, WILDCARD);
    expect(found.find(({ name }) => name === 'mine')?.requires).toEqual([{ typeUrl: TYPE_URLS.RDS, names: ['80'] }]);
  });
});

describe('routes', () => {
  const host = 'web.shop.svc.cluster.local:80';
  const route = (operation: string, name: string, target = '') =>
    `{applyTo: HTTP_ROUTE, match: {routeConfiguration: {vhost: {name: "${host}"${target ? `, route: ${target}` : ''}}}}, patch: {operation: ${operation}, value: {name: ${name}, match: {prefix: /}, directResponse: {status: 204}}}}`;
  const namesWith = (...patches: string[]): readonly (string | undefined)[] => {
    const routes = routesOf(meshOf(MESH + envoyFilter('a', patches)), '80');
    return (routes?.virtualHosts ?? []).find(({ name }) => name === host)?.routes?.map(({ name }) => name) ?? [];
  };

  test.each<[string, string, readonly string[]]>([
    ['ADD', route('ADD', 'x'), ['default', 'x']],
    ['INSERT_FIRST', route('INSERT_FIRST', 'x'), ['x', 'default']],
    ['INSERT_FIRST where one is', route('INSERT_FIRST', 'x', '{name: default}'), ['x', 'default']],
    ['INSERT_FIRST where none is', route('INSERT_FIRST', 'x', '{name: nobody}'), ['default']],
    ['INSERT_AFTER by action', route('INSERT_AFTER', 'x', '{action: ROUTE}'), ['default', 'x']],
    ['INSERT_AFTER by another action', route('INSERT_AFTER', 'x', '{action: REDIRECT}'), ['default']],
    ['REMOVE', route('REMOVE', 'x'), []],
  ])('%s', (_, patch, expected) => {
    expect(namesWith(patch)).toEqual(expected);
  });

  test('what a patch of the whole brings is there for patches of virtual hosts', () => {
    const push = meshOf(
      MESH +
        envoyFilter('a', [
          '{applyTo: VIRTUAL_HOST, match: {routeConfiguration: {vhost: {name: mine}}}, patch: {operation: MERGE, value: {requireTls: ALL}}}',
          '{applyTo: ROUTE_CONFIGURATION, match: {routeConfiguration: {name: "80"}}, patch: {operation: MERGE, value: {virtualHosts: [{name: mine, domains: [mine]}]}}}',
        ]),
    );
    expect(routesOf(push, '80')?.virtualHosts?.find(({ name }) => name === 'mine')?.requireTls).toBe('ALL');
  });

  test('of gateways are matched by the port that clients address, the name of the server and the Gateway', () => {
    const edge = gatewayProxy();
    const objects =
      gateway('gw', [
        '{port: {number: 8443, name: secure, protocol: HTTPS}, hosts: ["*"], tls: {mode: SIMPLE, credentialName: c}}',
      ]) +
      virtualService('vs', 'a.example', 'edge/gw', toWeb) +
      serviceManifest('web');
    const name = 'https.8443.secure.gw.edge';
    const hit = (match: string): boolean => {
      const patch = `{applyTo: ROUTE_CONFIGURATION, match: {context: GATEWAY, routeConfiguration: ${match}}, patch: {operation: MERGE, value: {requestHeadersToRemove: [x]}}}`;
      const push = meshOf(objects + envoyFilter('a', [patch], { namespace: 'edge' }));
      return routesOf(push, name, edge)?.requestHeadersToRemove !== undefined;
    };
    const matches = [
      '{portNumber: 8443}',
      '{portName: secure}',
      '{gateway: edge/gw}',
      '{portNumber: 443}',
      '{portName: plain}',
      '{gateway: edge/other}',
    ];
    expect(matches.map(hit)).toEqual([true, true, true, false, false, false]);
  });
});

test.each([
  ['no chain', '[]'],
  [
    'two chains for a name',
    '[{filter_chain_match: {server_names: [a, b]}}, {filter_chain_match: {server_names: [b, c]}}]',
  ],
])('a listener with %s is not added, and is named', (_what, chains) => {
  const add = (value: string) =>
    `{applyTo: LISTENER, match: {context: SIDECAR_OUTBOUND}, patch: {operation: ADD, value: ${value}}}`;
  const value = `{name: own, address: {socket_address: {address: 127.0.0.1, port_value: 7777}}, filter_chains: ${chains}}`;
  const push = meshOf(MESH + envoyFilter('a', [add(value)]));
  expect(Object.keys(listenersOf(push))).not.toContain('own');
  expect(findings(push)).toEqual(['rejected-by-envoy-rules EnvoyFilter a spec.configPatches[0]']);
});

test('an extension is configured by what a patch adds, the first of a name', () => {
  const add = (name: string, code: string) =>
    `{applyTo: EXTENSION_CONFIG, patch: {operation: ADD, value: {name: ${name}, typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua, inlineCode: "-- ${code}"}}}}`;
  const push = meshOf(MESH + envoyFilter('a', [add('x', '1'), add('x', '2')]));
  const found = resources(push, TYPE_URLS.ECDS, sidecar, 'x', 'y');
  expect(found).toEqual({
    x: expect.objectContaining({ name: 'x', typedConfig: expect.objectContaining({ inlineCode: '-- 1' }) }),
  });
});

test('a gateway that gets only the clusters it needs gets those that an EnvoyFilter refers to', () => {
  const annotations = '{envoyfilter.istio.io/referenced-services: "shop/web.shop.svc.cluster.local"}';
  const filter = envoyFilter('a', [withStat('x')], { namespace: 'edge', annotations });
  const push = meshOf(MESH + filter, { environment: { PILOT_FILTER_GATEWAY_CLUSTER_CONFIG: 'true' } });
  expect(Object.keys(clustersOf(push, gatewayProxy()))).toEqual(['BlackHoleCluster', WEB]);
});
