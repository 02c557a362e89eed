import { describe, expect, test } from '@jest/globals';
import type { Any, Cluster } from '@kedge/envoy-api';
import type { Proxy } from '@kedge/model';
import type { PushContext } from '@kedge/pushcontext';
import { meshOf, messagesOf, proxyOf, serviceManifest, withObjects } from '../testing/mesh.ts';
import { clusterDiagnostics, clusters } from './clusters.ts';

const WEB = 'outbound|80||web.shop.svc.cluster.local';

/** A DestinationRule for `web` with the given rest of its spec. */
const rule = (spec: string, { name = 'web', namespace = 'shop' } = {}): string => `
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  host: web.shop.svc.cluster.local
  ${spec}
---`;

const web = (spec: string, options?: Parameters<typeof meshOf>[1]): PushContext =>
  meshOf(serviceManifest('web') + rule(spec), options);

const clusterOf = (push: PushContext, name = WEB, proxy: Proxy = proxyOf('client')): Any | undefined =>
  messagesOf(push.evaluate(proxy, clusters))[name];

describe('load balancing', () => {
  test.each([
    ['simple: RANDOM', { lbPolicy: 'RANDOM' }],
    ['simple: ROUND_ROBIN', {}],
    ['simple: LEAST_CONN', { lbPolicy: 'LEAST_REQUEST' }],
    ['consistentHash: {useSourceIp: true}', { lbPolicy: 'RING_HASH', ringHashLbConfig: { minimumRingSize: '1024' } }],
    ['consistentHash: {useSourceIp: true, ringHash: {}}', { lbPolicy: 'RING_HASH' }],
    [
      'consistentHash: {useSourceIp: true, maglev: {tableSize: 11}}',
      { lbPolicy: 'MAGLEV', maglevLbConfig: { tableSize: '11' } },
    ],
    [
      'simple: ROUND_ROBIN, warmup: {duration: 30s}',
      {
        roundRobinLbConfig: {
          slowStartConfig: {
            slowStartWindow: '30s',
            aggression: { defaultValue: 1, runtimeKey: '(' },
            minWeightPercent: { value: 10 },
          },
        },
      },
    ],
  ])('%s', (settings, expected) => {
    expect(clusterOf(web(`trafficPolicy: {loadBalancer: {${settings}}}`))).toMatchObject(expected);
  });

  test('PASSTHROUGH goes wherever the connection was bound for, and only if all endpoints have a proxy by mutual TLS', () => {
    const cluster = clusterOf(web('trafficPolicy: {loadBalancer: {simple: PASSTHROUGH}}'));
    expect(cluster).toMatchObject({ type: 'ORIGINAL_DST', lbPolicy: 'CLUSTER_PROVIDED' });
    expect(cluster).not.toHaveProperty('transportSocketMatches');
    expect(cluster).not.toHaveProperty('edsClusterConfig');
  });
});

describe('connection pools', () => {
  test('settings of a port replace the whole policy', () => {
    const push = web(`trafficPolicy:
    connectionPool: {tcp: {maxConnections: 7}, http: {http2MaxRequests: 8}}
    outlierDetection: {interval: 5s}
    portLevelSettings: [{port: {number: 80}, connectionPool: {tcp: {maxConnections: 9}}}]`);
    const cluster = clusterOf(push);
    expect(cluster).toMatchObject({
      circuitBreakers: { thresholds: [{ maxConnections: 9, maxRequests: 4294967295 }] },
    });
    expect(cluster).not.toHaveProperty('outlierDetection');
  });

  test("a rule's blocks replace those of the mesh's default policy, block by block", () => {
    const mesh = 'defaultTrafficPolicy: {connectionPool: {tcp: {maxConnections: 5}}, outlierDetection: {interval: 3s}}';
    const push = web('trafficPolicy: {connectionPool: {http: {maxRetries: 2}}}', { mesh });
    expect(clusterOf(push)).toMatchObject({
      circuitBreakers: { thresholds: [{ maxConnections: 4294967295, maxRetries: 2 }] },
      outlierDetection: { interval: '3s' },
    });
  });

  test.each([
    ['UPGRADE', 'DO_NOT_UPGRADE', true],
    ['DEFAULT', 'UPGRADE', true],
    ['DO_NOT_UPGRADE', 'UPGRADE', false],
    ['DEFAULT', 'DO_NOT_UPGRADE', false],
  ])('h2UpgradePolicy %s over the mesh with %s', (policy, mesh, upgraded) => {
    const push = web(`trafficPolicy: {connectionPool: {http: {h2UpgradePolicy: ${policy}}}}`, {
      mesh: `h2UpgradePolicy: ${mesh}`,
    });
    const options = JSON.stringify(clusterOf(push)?.['typedExtensionProtocolOptions'] ?? {});
    expect(options.includes('http2ProtocolOptions')).toBe(upgraded);
  });
});

test('a hash that Envoy would refuse is left out and named, and the cluster stays', () => {
  const push = web('trafficPolicy: {loadBalancer: {consistentHash: {httpHeaderName: ""}}}');
  expect(clusterOf(push)).toMatchObject({ lbPolicy: 'RING_HASH' });
  const { policy, code } = { policy: 'spec.trafficPolicy.loadBalancer.consistentHash', code: 'unusable-hash' };
  expect(push.evaluate(proxyOf('client'), clusterDiagnostics)).toMatchObject([{ name: 'web', code, field: policy }]);
});

test.each([
  ['HTTP', '', false],
  ['HTTP', 'connectionPool: {http: {idleTimeout: 5s}}', true],
  ['GRPC', '', true],
  ['HTTP', 'tls: {mode: SIMPLE}', false],
  ['HTTP', 'tls: {mode: SIMPLE, sni: x}', true],
])('wildcard %s hosts with {%s} say whether names are unverified: %s', (protocol, policy, insecure) => {
  const push = meshOf(`
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: any, namespace: shop}
spec:
  hosts: ["*.example.com"]
  ports: [{number: 80, name: p, protocol: ${protocol}}]
  resolution: DYNAMIC_DNS
---
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: any, namespace: shop}
spec: {host: "*.example.com", trafficPolicy: {${policy}}}`);
  const { clusterType } = clusterOf(push, 'outbound|80||*.example.com') as Cluster;
  expect(clusterType?.typedConfig?.['allowInsecureClusterOptions'] ?? false).toBe(insecure);
});

describe('TLS', () => {
  const socketOf = (cluster: Any | undefined): unknown => cluster?.['transportSocket'];

  test('SIMPLE takes the name from each request, and verifies it', () => {
    const cluster = clusterOf(web('trafficPolicy: {tls: {mode: SIMPLE}}'));
    expect(JSON.stringify(socketOf(cluster))).toContain('file-root:system');
    expect(JSON.stringify(cluster)).toContain('"autoSni":true,"autoSanValidation":true');
    expect(cluster).toMatchObject({ metadata: { filterMetadata: { istio: { alpn_override: 'false' } } } });
  });

  test('sidecars do without credentials of rules that have no selector; gateways use them', () => {
    const push = web('trafficPolicy: {tls: {mode: SIMPLE, credentialName: ca}}');
    expect(socketOf(clusterOf(push))).toBeUndefined();
    const atGateway = clusterOf(push, WEB, proxyOf('gateway', { type: 'router' }));
    expect(JSON.stringify(socketOf(atGateway))).toContain('kubernetes://ca-cacert');
  });

  test('a policy that forbids mutual TLS is heeded', () => {
    const push = withObjects(
      meshOf(serviceManifest('web')),
      `
apiVersion: security.istio.io/v1
kind: PeerAuthentication
metadata: {name: default, namespace: shop}
spec: {mtls: {mode: DISABLE}}`,
    );
    expect(clusterOf(push)).not.toHaveProperty('transportSocketMatches');
  });

  test('what cannot work is left out and named, and the rest is served', () => {
    const push = meshOf(serviceManifest('web') + serviceManifest('api') + rule('trafficPolicy: {tls: {mode: MUTUAL}}'));
    const client = proxyOf('client');
    expect(clusterOf(push)).toBeUndefined();
    expect(clusterOf(push, 'outbound|80||api.shop.svc.cluster.local')).toBeDefined();
    expect(push.evaluate(client, clusterDiagnostics)).toMatchObject([
      { kind: 'DestinationRule', namespace: 'shop', name: 'web', code: 'unusable-client-tls' },
    ]);
  });

  test('entries for the host of a service add to who may answer', () => {
    const entry = (namespace: string): string => `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: more, namespace: ${namespace}}
spec:
  hosts: [web.shop.svc.cluster.local]
  ports: [{number: 3306, name: tcp, protocol: TCP}]
  resolution: STATIC
  subjectAltNames: [spiffe://cluster.local/ns/shop/sa/vm]
---`;
    const names = (namespace: string) => JSON.stringify(clusterOf(meshOf(serviceManifest('web') + entry(namespace))));
    expect(names('shop')).toContain('"matchSubjectAltNames":[{"exact":"spiffe://cluster.local/ns/shop/sa/vm"}]');
    expect(names('bank')).not.toContain('matchSubjectAltNames');
  });

  test('proxy protocol wraps every socket', () => {
    const text = JSON.stringify(clusterOf(web('trafficPolicy: {proxyProtocol: {version: V2}}')));
    expect(text.match(/upstream_proxy_protocol/g)).toHaveLength(2);
  });
});

test('what Envoy would refuse is left out and named', () => {
  const push = web('trafficPolicy: {outlierDetection: {maxEjectionPercent: 200}}');
  expect(clusterOf(push)).toBeUndefined();
  expect(push.evaluate(proxyOf('client'), clusterDiagnostics)).toMatchObject([
    { name: 'web', code: 'rejected-by-envoy-rules', message: expect.stringContaining('maxEjectionPercent') },
    { kind: 'Service', name: 'web' },
  ]);
});

test('subsets lie over their rule', () => {
  const push = web(`trafficPolicy: {loadBalancer: {simple: RANDOM}, connectionPool: {tcp: {maxConnections: 3}}}
  subsets:
  - {name: v1, labels: {version: v1}, trafficPolicy: {loadBalancer: {simple: ROUND_ROBIN}}}`);
  const subset = clusterOf(push, 'outbound|80|v1|web.shop.svc.cluster.local');
  expect(subset).toMatchObject({
    circuitBreakers: { thresholds: [{ maxConnections: 3 }] },
    metadata: { filterMetadata: { istio: { subset: 'v1' } } },
  });
  expect(subset).not.toMatchObject({ lbPolicy: 'RANDOM' });
});

test('sessions that go on are kept by clients, not by gateways that pass their mutual TLS on', () => {
  const service = serviceManifest('web').replace('shop}', 'shop, labels: {istio.io/persistent-session: cookie}}');
  const push = meshOf(`${service}
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: {name: east-west, namespace: shop}
spec:
  selector: {app: gateway}
  servers: [{port: {number: 15443, name: tls, protocol: TLS}, hosts: ["*.local"], tls: {mode: AUTO_PASSTHROUGH}}]`);
  const gateway = proxyOf('gateway', { type: 'router', metadata: { LABELS: { app: 'gateway' } } });
  const sni = clusterOf(push, 'outbound_.80_._.web.shop.svc.cluster.local', gateway);
  expect(clusterOf(push)?.['commonLbConfig']).toHaveProperty('overrideHostStatus');
  expect(clusterOf(push, WEB, gateway)?.['commonLbConfig']).toHaveProperty('overrideHostStatus');
  expect(sni).toMatchObject({ type: 'EDS' });
  expect(sni?.['commonLbConfig']).not.toHaveProperty('overrideHostStatus');
});

describe('sharing', () => {
  const WITH_RULE = serviceManifest('web') + rule('trafficPolicy: {loadBalancer: {simple: RANDOM}}');
  const encodedFor = (push: PushContext, namespace: string) =>
    push.evaluate(proxyOf('client', { namespace }), clusters).find(({ name }) => name === WEB);

  test('clients of all namespaces share the cluster, if they have the same rule', () => {
    const push = meshOf(WITH_RULE);
    expect(encodedFor(push, 'shop')).toBeDefined();
    expect(encodedFor(push, 'bank')).toBe(encodedFor(push, 'shop'));
    const withOwnRule = withObjects(push, rule('trafficPolicy: {}', { namespace: 'bank' }));
    expect(encodedFor(withOwnRule, 'bank')).not.toBe(encodedFor(withOwnRule, 'shop'));
  });

  test('locality, addresses and labels of clients tell no clusters apart', () => {
    const push = meshOf(WITH_RULE);
    const near = proxyOf('near', { locality: { region: 'eu' }, metadata: { LABELS: { app: 'near' } } });
    const far = proxyOf('far', { address: '10.9.9.9', locality: { region: 'us' } });
    expect(push.evaluate(far, clusters)).toBe(push.evaluate(near, clusters));
  });

  test('a change of a rule makes its own clusters anew, and those only', () => {
    const push = meshOf(WITH_RULE + serviceManifest('api') + serviceManifest('cart'));
    encodedFor(push, 'shop');
    const before = push.memo.computeCounts.get('outboundCluster') ?? 0;
    encodedFor(withObjects(push, rule('trafficPolicy: {}')), 'shop');
    expect((push.memo.computeCounts.get('outboundCluster') ?? 0) - before).toBe(1);
  });

  test('an Envoy that lists its extensions gets none that it lacks', () => {
    const push = meshOf(WITH_RULE);
    expect(clusterOf(push)).toHaveProperty('filters');
    expect(
      clusterOf(push, WEB, proxyOf('stock', { extensions: ['envoy.filters.network.tcp_proxy'] })),
    ).not.toHaveProperty('filters');
  });
});
