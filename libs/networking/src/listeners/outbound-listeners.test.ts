import { describe, expect, test } from '@jest/globals';
import { listenersOf, targetOf } from '../testing/listeners.ts';
import { meshOf, type MeshOptions, proxyOf } from '../testing/mesh.ts';

const service = (name: string, address: string, port: string): string => `
apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: shop}
spec:
  clusterIP: ${address}
  clusterIPs: [${address}]
  selector: {app: ${name}}
  ports: [{protocol: TCP, ${port}}]
---`;

const external = (name: string, spec: string): string => `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: shop}
spec: {location: MESH_EXTERNAL, ${spec}}
---`;

const virtualService = (name: string, spec: string): string => `
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: ${name}, namespace: shop}
spec: {${spec}}
---`;

const web = proxyOf('web', { address: '10.0.0.9' });

const outbound = (manifests: string, proxy = web, options: MeshOptions = {}) => {
  const { virtualInbound: _, virtualOutbound: __, ...listeners } = listenersOf(meshOf(manifests, options), proxy);
  return listeners;
};

/** Each chain of a listener as `match -> target`, the default one last. */
function chainsOf(listener: ReturnType<typeof outbound>[string] | undefined): readonly string[] {
  const rest = listener?.defaultFilterChain ? [listener.defaultFilterChain] : [];
  return [...(listener?.filterChains ?? []), ...rest].map(
    (chain) => `${JSON.stringify(chain.filterChainMatch ?? {})} -> ${targetOf(chain)}`,
  );
}

const HTTP = '{"transportProtocol":"raw_buffer","applicationProtocols":["http/1.1","h2c"]}';

describe('where services are listened for', () => {
  test('HTTP of a port together, by its routes; bytes at the address of each service', () => {
    const listeners = outbound(
      service('a', '10.1.0.1', 'name: http, port: 80') +
        service('b', '10.1.0.2', 'name: grpc, port: 80') +
        service('c', '10.1.0.3', 'name: tcp, port: 9000'),
    );
    expect(Object.keys(listeners)).toEqual(['0.0.0.0_80', '10.1.0.3_9000']);
    expect(chainsOf(listeners['0.0.0.0_80'])).toEqual([`${HTTP} -> routes 80`, '{} -> PassthroughCluster']);
    expect(chainsOf(listeners['10.1.0.3_9000'])).toEqual(['{} -> outbound|9000||c.shop.svc.cluster.local']);
  });

  test('a port without a protocol looks for itself, and has routes for its service alone', () => {
    const listener = outbound(service('a', '10.1.0.1', 'name: data, port: 7000'))['10.1.0.1_7000'];
    expect(chainsOf(listener)).toEqual([
      `${HTTP} -> routes a.shop.svc.cluster.local:7000`,
      '{} -> outbound|7000||a.shop.svc.cluster.local',
    ]);
    expect(listener?.listenerFilters?.map(({ name }) => name)).toEqual(['envoy.filters.listener.http_inspector']);
  });

  test('time to look is given where somebody looks', () => {
    const listeners = outbound(
      service('a', '10.1.0.1', 'name: data, port: 7000') + service('b', '10.1.0.2', 'name: tcp, port: 7000'),
      web,
      { mesh: 'protocolDetectionTimeout: 250ms' },
    );
    expect(listeners['10.1.0.1_7000']).toMatchObject({ listenerFiltersTimeout: '0.250s' });
    expect(listeners['10.1.0.2_7000']).toMatchObject({ listenerFiltersTimeout: '0s' });
  });

  test('not at all addresses on ports that are the proxy’s own, whatever the protocol', () => {
    const ports = [15001, 15006, 15090, 9000].map((port) => `{number: ${port}, name: p${port}, protocol: TCP}`);
    const spec = `hosts: [a.example.com], resolution: DNS, ports: [${ports.join(', ')}]`;
    const proxy = proxyOf('web', { metadata: { ENVOY_PROMETHEUS_PORT: 15090 } });
    expect(Object.keys(outbound(external('a', spec), proxy))).toEqual(['0.0.0.0_9000']);
    expect(Object.keys(outbound(external('a', `${spec}, addresses: [10.1.0.9]`), proxy))).toHaveLength(4);
  });

  test('UDP has none', () => {
    expect(outbound(service('a', '10.1.0.1', 'name: dns, port: 5353').replace('TCP', 'UDP'))).toEqual({});
  });

  test('each address of a ServiceEntry has its own; ranges share a listener', () => {
    const listeners = outbound(
      external(
        'a',
        'hosts: [a.example], addresses: [10.9.0.1, 10.9.0.2], resolution: STATIC, ports: [{number: 1, name: t, protocol: TCP}], endpoints: [{address: 1.1.1.1}]',
      ) +
        external(
          'b',
          'hosts: [b.example], addresses: [10.8.0.0/16], resolution: NONE, ports: [{number: 1, name: t, protocol: TCP}]',
        ),
    );
    expect(Object.keys(listeners)).toEqual(['0.0.0.0_1', '10.9.0.1_1', '10.9.0.2_1']);
    expect(chainsOf(listeners['0.0.0.0_1'])).toEqual([
      '{"prefixRanges":[{"addressPrefix":"10.8.0.0","prefixLen":16}]} -> outbound|1||b.example',
      '{} -> PassthroughCluster',
    ]);
  });

  test('names in TLS tell hosts apart that have no address', () => {
    const spec = (host: string): string =>
      `hosts: [${host}], resolution: DNS, ports: [{number: 443, name: tls, protocol: TLS}]`;
    const listener = outbound(external('a', spec('a.example')) + external('b', spec('b.example')))['0.0.0.0_443'];
    expect(chainsOf(listener)).toEqual([
      '{"serverNames":["a.example"]} -> outbound|443||a.example',
      '{"serverNames":["b.example"]} -> outbound|443||b.example',
      '{} -> PassthroughCluster',
    ]);
    expect(listener?.listenerFilters?.map(({ name }) => name)).toEqual(['envoy.filters.listener.tls_inspector']);
  });
});

describe('protocols that meet at one address', () => {
  const open = (name: string, protocol: string): string =>
    external(
      name,
      `hosts: [${name}.example], resolution: NONE, ports: [{number: 6000, name: p, protocol: ${protocol}}]`,
    );

  test.each([
    ['HTTP', 'TCP', [`${HTTP} -> routes 6000`, '{} -> outbound|6000||b.example']],
    ['TCP', 'HTTP', [`${HTTP} -> routes 6000`, '{} -> outbound|6000||a.example']],
    ['TCP', 'TCP', ['{} -> outbound|6000||a.example']],
    ['HTTP', 'HTTP', [`${HTTP} -> routes 6000`, '{} -> PassthroughCluster']],
    ['TLS', 'TCP', ['{"serverNames":["a.example"]} -> outbound|6000||a.example', '{} -> outbound|6000||b.example']],
    // Servers of these speak first: nobody can look at what the client says.
    ['HTTP', 'MONGO', [`${HTTP} -> routes 6000`, '{} -> PassthroughCluster']],
    ['MYSQL', 'HTTP', ['{} -> outbound|6000||a.example']],
  ])('%s, then %s', (first, second, chains) => {
    expect(chainsOf(outbound(open('a', first) + open('b', second))['0.0.0.0_6000'])).toEqual(chains);
  });
});

describe('routes of VirtualServices', () => {
  const tcp = service('db', '10.1.0.1', 'name: tcp, port: 3000') + service('alt', '10.1.0.2', 'name: tcp, port: 3000');
  const route = (host: string, weight = ''): string => `{destination: {host: ${host}}${weight}}`;

  test('weights', () => {
    const vs = virtualService(
      'split',
      `hosts: [db], tcp: [{route: [${route('db', ', weight: 30')}, ${route('alt', ', weight: 70')}]}]`,
    );
    expect(chainsOf(outbound(tcp + vs)['10.1.0.1_3000'])).toEqual([
      '{} -> 30 outbound|3000||db.shop.svc.cluster.local, 70 outbound|3000||alt.shop.svc.cluster.local',
    ]);
  });

  test('only matches for the port, the gateway `mesh` and the workload count', () => {
    const match = (m: string): string => `{match: [${m}], route: [${route('alt')}]}`;
    const vs = virtualService(
      'rules',
      `hosts: [db], gateways: [mesh, other], tcp: [${match('port: 1')}, ${match('{gateways: [other]}')}, ${match('{sourceLabels: {app: other}}')}]`.replace(
        '[port: 1]',
        '[{port: 1}]',
      ),
    );
    expect(chainsOf(outbound(tcp + vs)['10.1.0.1_3000'])).toEqual(['{} -> outbound|3000||db.shop.svc.cluster.local']);
  });

  test('subnets make chains of their own before the service', () => {
    const vs = virtualService(
      'subnet',
      `hosts: [db], tcp: [{match: [{destinationSubnets: [10.1.0.0/24]}], route: [${route('alt')}]}]`,
    );
    expect(chainsOf(outbound(tcp + vs)['10.1.0.1_3000'])).toEqual([
      '{"prefixRanges":[{"addressPrefix":"10.1.0.0","prefixLen":24}]} -> outbound|3000||alt.shop.svc.cluster.local',
      '{} -> outbound|3000||db.shop.svc.cluster.local',
    ]);
  });

  test('what a DestinationRule says of connections', () => {
    const rule = `
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: db, namespace: shop}
spec:
  host: db
  trafficPolicy:
    connectionPool: {tcp: {idleTimeout: 9s, maxConnectionDuration: 60s}}
    loadBalancer: {consistentHash: {useSourceIp: true}}
    tunnel: {protocol: POST, targetHost: far.example, targetPort: 443}
---`;
    const config = outbound(tcp + rule)['10.1.0.1_3000']?.filterChains[0]?.filters[0]?.typedConfig;
    expect(config).toMatchObject({
      idleTimeout: '9s',
      maxDownstreamConnectionDuration: '60s',
      hashPolicy: [{ sourceIp: {} }],
      tunnelingConfig: { hostname: 'far.example:443', usePost: true },
    });
  });
});

describe('where the proxy listens by itself', () => {
  const none = proxyOf('web', { metadata: { INTERCEPTION_MODE: 'NONE', UNPRIVILEGED_POD: 'true' } });
  const manifests =
    service('a', '10.1.0.1', 'name: http, port: 8081') +
    service('b', '10.1.0.2', 'name: http, port: 80') +
    `
apiVersion: networking.istio.io/v1
kind: Sidecar
metadata: {name: default, namespace: shop}
spec:
  egress:
  - {port: {number: 9090, protocol: HTTP, name: own}, bind: 127.0.0.5, hosts: [./*]}
  - {hosts: [./*]}
---`;

  test('ports are opened on loopback, or where a Sidecar says so; an unprivileged proxy opens no low ones', () => {
    const listeners = outbound(manifests, none);
    expect(Object.keys(listeners)).toEqual(['127.0.0.1_8081']);
    expect(listeners['127.0.0.1_8081']).not.toHaveProperty('bindToPort');
    expect(listeners['127.0.0.1_8081']).toMatchObject({ maxConnectionsToAcceptPerSocketEvent: 1 });
  });

  test('there is nothing for redirected connections', () => {
    const names = Object.keys(listenersOf(meshOf(manifests), none));
    expect(names).not.toContain('virtualOutbound');
    expect(names).not.toContain('virtualInbound');
  });
});

test('an Envoy that lists its extensions gets none of Istio’s that it hasn’t got', () => {
  const manifests = service('a', '10.1.0.1', 'name: http, port: 80');
  const options = { mesh: 'defaultProviders: {metrics: [prometheus]}' };
  const stock = proxyOf('web', { extensions: ['envoy.filters.network.tcp_proxy'] });
  const istio = /istio\.(alpn|stats|metadata_exchange)/;
  expect(JSON.stringify(listenersOf(meshOf(manifests, options), web))).toMatch(istio);
  expect(JSON.stringify(listenersOf(meshOf(manifests, options), stock))).not.toMatch(istio);
});
