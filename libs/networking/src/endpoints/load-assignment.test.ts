import { describe, expect, test } from '@jest/globals';
import type { ClusterLoadAssignment } from '@kedge/envoy-api';
import type { Proxy } from '@kedge/model';
import type { PushContext } from '@kedge/pushcontext';
import { clusters } from '../clusters/clusters.ts';
import { meshOf, messagesOf, proxyOf, serviceManifest, withObjects } from '../testing/mesh.ts';
import { generatedLoadAssignment } from './load-assignment.ts';

const WEB = 'outbound|80||web.shop.svc.cluster.local';
const API = 'outbound|80||api.shop.svc.cluster.local';

function assignment(push: PushContext, name = WEB, proxy: Proxy = proxyOf('client')): ClusterLoadAssignment {
  const resource = push.evaluate(proxy, generatedLoadAssignment, name)?.value;
  return (resource ? messagesOf([resource])[name] : undefined) as unknown as ClusterLoadAssignment;
}

const addresses = ({ endpoints = [] }: ClusterLoadAssignment): readonly string[] =>
  endpoints.flatMap(({ lbEndpoints = [] }) =>
    lbEndpoints.map(({ endpoint }) => {
      const { address, portValue } = endpoint?.address?.socketAddress ?? {};
      return `${address}:${portValue}`;
    }),
  );

/** A ServiceEntry of static endpoints, one a line. */
const entry = (endpoints: readonly string[], { name = 'ext', labels = '{}' } = {}): string => `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: shop, labels: ${labels}}
spec:
  hosts: [${name}.example.com]
  ports: [{number: 80, name: http, protocol: HTTP}]
  resolution: STATIC
  location: MESH_INTERNAL
  endpoints:
${endpoints.map((endpoint) => `  - ${endpoint}`).join('\n')}
---`;

const EXT = 'outbound|80||ext.example.com';

test('names that mean nothing to the proxy, and those of clusters that patches add, have an empty assignment', () => {
  const push = meshOf(serviceManifest('web'));
  for (const clusterName of ['outbound|80||gone.example.com', 'patched']) {
    expect(assignment(push, clusterName)).toEqual(expect.objectContaining({ clusterName }));
  }
});

describe('changes', () => {
  test('a new endpoint makes one assignment anew and no cluster', () => {
    const push = meshOf(serviceManifest('web') + serviceManifest('api'));
    const client = proxyOf('client');
    const clustersBefore = push.evaluate(client, clusters);
    const apiBefore = push.evaluate(client, generatedLoadAssignment, API)?.value;
    push.evaluate(client, generatedLoadAssignment, WEB);
    const counts = { ...Object.fromEntries(push.memo.computeCounts) };
    const next = withObjects(push, serviceManifest('web', { address: '10.0.1.2' }));
    expect(addresses(assignment(next))).toEqual(['10.0.1.2:8080']);
    expect(next.evaluate(client, generatedLoadAssignment, API)?.value).toBe(apiBefore);
    expect(next.evaluate(client, clusters)).toBe(clustersBefore);
    expect(
      (next.memo.computeCounts.get('generatedLoadAssignment') ?? 0) - (counts['generatedLoadAssignment'] ?? 0),
    ).toBe(1);
    expect(next.memo.computeCounts.get('outboundCluster')).toBe(counts['outboundCluster']);
  });

  test('clients of all places and namespaces share an assignment, unless locality matters', () => {
    const push = meshOf(entry(['{address: 1.1.1.1, locality: eu/a}', '{address: 2.2.2.2, locality: us/a}']));
    const near = proxyOf('near', { locality: { region: 'eu' } });
    const far = proxyOf('far', { namespace: 'bank', locality: { region: 'us' } });
    expect(push.evaluate(far, generatedLoadAssignment, EXT)?.value).toBe(
      push.evaluate(near, generatedLoadAssignment, EXT)?.value,
    );
    const failingOver = withObjects(
      push,
      `
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: ext, namespace: shop}
spec: {host: ext.example.com, trafficPolicy: {outlierDetection: {interval: 1s}}}`,
    );
    const priorities = (proxy: Proxy) => assignment(failingOver, EXT, proxy).endpoints?.map((e) => e.priority ?? 0);
    expect(priorities(near)).toEqual([0, 1]);
    expect(priorities(far)).toEqual([1, 0]);
  });
});

describe('which endpoints', () => {
  test('weights, subset labels and ports', () => {
    const push = withObjects(
      meshOf(
        entry(['{address: 1.1.1.1, weight: 5, labels: {version: v1}}', '{address: 2.2.2.2, ports: {http: 8080}}']),
      ),
      `
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: ext, namespace: shop}
spec: {host: ext.example.com, subsets: [{name: v1, labels: {version: v1}}]}`,
    );
    expect(addresses(assignment(push, EXT))).toEqual(['1.1.1.1:80', '2.2.2.2:8080']);
    const subset = assignment(push, 'outbound|80|v1|ext.example.com');
    expect(addresses(subset)).toEqual(['1.1.1.1:80']);
    expect(subset.endpoints?.[0]?.loadBalancingWeight).toBe(5);
  });

  test('of a host that several objects define, each port in its own way', () => {
    const push = meshOf(`${entry(['{address: 1.1.1.1}'])}
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: other, namespace: shop}
spec:
  hosts: [ext.example.com]
  ports: [{number: 8080, name: http, protocol: HTTP}]
  resolution: DNS
  endpoints: [{address: 2.2.2.2}, {address: other.example.com}]`);
    expect(addresses(assignment(push, EXT))).toEqual(['1.1.1.1:80']);
    const all = messagesOf(push.evaluate(proxyOf('client'), clusters));
    expect(all[EXT]).toMatchObject({ type: 'EDS' });
    const byDns = all['outbound|8080||ext.example.com'];
    expect(byDns).toMatchObject({ type: 'STRICT_DNS' });
    expect(addresses(byDns?.['loadAssignment'] as ClusterLoadAssignment)).toEqual([
      '2.2.2.2:8080',
      'other.example.com:8080',
    ]);
  });

  test('of a number that UDP and TCP share, those of TCP, whichever port comes first', () => {
    const push = meshOf(`
apiVersion: v1
kind: Service
metadata: {name: dns, namespace: shop}
spec:
  clusterIP: 10.96.0.10
  ports: [{name: dns, port: 53, protocol: UDP}, {name: dns-tcp, port: 53, protocol: TCP}]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: dns-1, namespace: shop, labels: {kubernetes.io/service-name: dns}}
addressType: IPv4
ports: [{name: dns, port: 5353, protocol: UDP}, {name: dns-tcp, port: 5354, protocol: TCP}]
endpoints: [{addresses: [1.1.1.1], conditions: {ready: true}}]`);
    const name = 'outbound|53||dns.shop.svc.cluster.local';
    expect(messagesOf(push.evaluate(proxyOf('client'), clusters))[name]).toMatchObject({ type: 'EDS' });
    expect(addresses(assignment(push, name))).toEqual(['1.1.1.1:5354']);
  });

  test('draining ones only where sessions stay where they are', () => {
    const draining = '{address: 1.1.1.1, labels: {istio.io/draining: "true"}}';
    const plain = meshOf(entry([draining, '{address: 2.2.2.2}']));
    expect(addresses(assignment(plain, EXT))).toEqual(['2.2.2.2:80']);
    const kept = meshOf(entry([draining], { labels: '{istio.io/persistent-session: cookie}' }));
    expect(assignment(kept, EXT).endpoints?.[0]?.lbEndpoints?.[0]?.healthStatus).toBe('DRAINING');
  });

  test('all or none of those that are not ready, as the rule wants to fall back on them', () => {
    const unready = serviceManifest('web').replace('ready: true', 'ready: false, terminating: false');
    const rule = (percent: number): string => `
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: web, namespace: shop}
spec: {host: web, trafficPolicy: {outlierDetection: {minHealthPercent: ${percent}}}}`;
    expect(assignment(meshOf(unready)).endpoints?.[0]?.lbEndpoints?.[0]?.healthStatus).toBe('UNHEALTHY');
    expect(addresses(assignment(meshOf(unready + rule(0))))).toHaveLength(1);
    expect(addresses(assignment(meshOf(unready + rule(10))))).toHaveLength(0);
  });

  test('only networks that the proxy wants to see', () => {
    const push = meshOf(
      entry(['{address: 1.1.1.1, network: one}', '{address: 2.2.2.2, network: two}', '{address: 3.3.3.3}']),
    );
    const picky = proxyOf('client', { metadata: { REQUESTED_NETWORK_VIEW: 'one' } });
    expect(addresses(assignment(push, EXT, picky))).toEqual(['1.1.1.1:80', '3.3.3.3:80']);
  });
});

test.each(['', 'ISTIO_MUTUAL'])('endpoints without a proxy are not marked for mutual TLS, by rule "%s"', (mode) => {
  const rule = `
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: ext, namespace: shop}
spec: {host: ext.example.com, trafficPolicy: {tls: {mode: ${mode}}}}`;
  const push = meshOf(entry(['{address: 1.1.1.1, serviceAccount: ext}', '{address: 2.2.2.2}']) + (mode ? rule : ''));
  const marks = assignment(push, EXT).endpoints?.[0]?.lbEndpoints?.map(
    ({ metadata }) => metadata?.filterMetadata?.['envoy.transport_socket_match'],
  );
  expect(marks).toEqual([{ tlsMode: 'istio' }, undefined]);
});

test('an entry in the place of a pod is a group of its own if it says less of it', () => {
  const push = meshOf(`
apiVersion: v1
kind: Node
metadata: {name: node, labels: {topology.kubernetes.io/region: eu, topology.kubernetes.io/zone: a}}
---
apiVersion: v1
kind: Pod
metadata: {name: pod, namespace: shop, labels: {app: web}}
spec: {nodeName: node}
status: {phase: Running, podIP: 10.0.0.1}
---
apiVersion: networking.istio.io/v1
kind: WorkloadEntry
metadata: {name: vm, namespace: shop}
spec: {address: 10.0.0.2, labels: {app: web}, locality: eu/a}
---
${serviceManifest('web').replace('endpoints: [', 'endpoints: [{addresses: [10.0.0.1], targetRef: {kind: Pod, name: pod, namespace: shop}}, ')}`);
  const groups = assignment(push).endpoints?.filter(({ locality }) => locality?.region === 'eu');
  expect(groups?.map((group) => addresses({ endpoints: [group] }))).toEqual([['10.0.0.2:8080'], ['10.0.0.1:8080']]);
});

describe('several networks', () => {
  const networks =
    'networks: {two: {endpoints: [], gateways: [{address: 9.9.9.9, port: 15443}, {address: 8.8.8.8, port: 15443}]}}';
  const remote = (account: string): string =>
    entry(['{address: 1.1.1.1, network: one}', `{address: 2.2.2.2, network: two${account}}`]);
  const client = proxyOf('client', { metadata: { NETWORK: 'one' } });

  test('gateways stand for what mutual TLS reaches behind them, and share its weight', () => {
    const push = meshOf(remote(', serviceAccount: ext'), { networks });
    expect(addresses(assignment(push, EXT, client))).toEqual(['1.1.1.1:80', '8.8.8.8:15443', '9.9.9.9:15443']);
    expect(assignment(push, EXT, client).endpoints?.[0]?.lbEndpoints?.map((e) => e.loadBalancingWeight)).toEqual([
      2, 1, 1,
    ]);
  });

  test('what takes no mutual TLS cannot be reached through them', () => {
    expect(addresses(assignment(meshOf(remote(''), { networks }), EXT, client))).toEqual(['1.1.1.1:80']);
  });

  test.each([
    ['one', ['8.8.8.8:15443', '9.9.9.9:15443']],
    ['', ['8.8.8.8:15443', '9.9.9.9:15443']],
    ['two', []],
  ])('an endpoint without address is reached from outside its network only: from "%s"', (network, expected) => {
    const push = meshOf(entry(['{network: two, serviceAccount: ext}']), { networks });
    const from = proxyOf('client', { metadata: { NETWORK: network } });
    expect(addresses(assignment(push, EXT, from))).toEqual(expected);
  });

  test('to prefer those of the own network counts where the registry places the workload', () => {
    const push = meshOf(`${entry(['{address: 1.1.1.1, network: one}', '{address: 2.2.2.2, network: two}'])}
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: ext, namespace: shop}
spec:
  host: ext.example.com
  trafficPolicy:
    outlierDetection: {consecutive5xxErrors: 3}
    loadBalancer: {localityLbSetting: {failoverPriority: [topology.istio.io/network]}}
---
apiVersion: v1
kind: Pod
metadata: {name: client, namespace: shop, labels: {topology.istio.io/network: two}}
status: {phase: Running, podIP: 10.0.0.9}`);
    const at = (address: string) =>
      assignment(push, EXT, proxyOf('client', { address, metadata: { NAME: 'client', NETWORK: 'one' } }));
    expect(addresses(at('10.0.0.9'))).toEqual(['2.2.2.2:80', '1.1.1.1:80']);
    expect(addresses(assignment(push, EXT, proxyOf('stranger', { metadata: { NETWORK: 'one' } })))).toEqual([
      '1.1.1.1:80',
      '2.2.2.2:80',
    ]);
  });

  test('the gateway of a network passes on to those only who expect mutual TLS', () => {
    const push = meshOf(entry(['{address: 1.1.1.1, serviceAccount: ext}', '{address: 2.2.2.2}']));
    const name = 'outbound_.80_._.ext.example.com';
    expect(addresses(assignment(push, name, proxyOf('gateway', { type: 'router' })))).toEqual(['1.1.1.1:80']);
  });
});

test("a proxy learns of its own workload's endpoints in its region", () => {
  const member = (address: string, locality: string, rollout: string): string => `
apiVersion: networking.istio.io/v1
kind: WorkloadEntry
metadata: {name: ext-${address}, namespace: shop, labels: {service.istio.io/workload-name: ext}}
spec: {address: ${address}, locality: ${locality}, labels: {app: ext, pod-template-hash: ${rollout}}}
---`;
  const push = meshOf(`${[
    member('10.0.0.1', 'eu/a', 'one'),
    member('10.0.0.2', 'eu/b', 'one'),
    member('10.0.0.3', 'us/a', 'one'),
    member('10.0.0.4', 'eu/a', 'two'),
  ].join('')}
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: ext, namespace: shop}
spec:
  hosts: [ext.example.com]
  ports: [{number: 80, name: http, protocol: HTTP}]
  resolution: STATIC
  location: MESH_INTERNAL
  workloadSelector: {labels: {app: ext}}`);
  const metadata = { WORKLOAD_NAME: 'ext', LABELS: { app: 'ext', 'pod-template-hash': 'one' } };
  const own = proxyOf('ext', { address: '10.0.0.1', locality: { region: 'eu', zone: 'a' }, metadata });
  expect(addresses(assignment(push, 'local_cluster', own))).toEqual(['10.0.0.1:80', '10.0.0.2:80']);
  expect(addresses(assignment(push, 'local_cluster', proxyOf('client', { address: '10.9.9.9' })))).toEqual([]);
});
