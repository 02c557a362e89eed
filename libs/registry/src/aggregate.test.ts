import { describe, expect, test } from '@jest/globals';
import { deepEqual, SINGLE } from '@kedge/config';
import { Memo, type Query } from '@kedge/incremental';
import type { Config, Endpoint, Proxy, Service } from '@kedge/model';
import fc from 'fast-check';
import {
  endpointShards,
  networkGateways,
  proxyWorkload,
  registriesSource,
  services,
  servicesOfHost,
  serviceTargets,
} from './aggregate.ts';
import { memoryRegistry } from './memory.ts';
import { change, meshOf, objectsOf, putObjects, sidecar } from './testing.ts';

const anyone = sidecar('anyone', '10.9.9.9');

function service(cluster: string, provider: Service['provider'] = 'Kubernetes'): Service {
  return {
    hostname: 'web.shop.svc.cluster.local',
    namespace: 'shop',
    name: 'web',
    provider,
    clusters: [cluster],
    creationTimestamp: 0,
    ports: [{ name: 'http', port: 80, protocol: 'HTTP' }],
    addresses: { [cluster]: [`10.0.0.${cluster.length}`] },
    defaultAddress: `10.0.0.${cluster.length}`,
    autoAllocated: [],
    resolution: 'client-side-lb',
    meshExternal: false,
    exportTo: '*',
    labels: {},
    trafficDistribution: 'any',
    subjectAltNames: [cluster],
  };
}

const endpoint = (cluster: string, address: string): Endpoint => ({
  addresses: [address],
  port: 8080,
  portName: 'http',
  labels: {},
  serviceAccount: '',
  namespace: 'shop',
  workloadName: '',
  network: '',
  locality: '',
  cluster,
  nodeName: '',
  weight: 0,
  tlsMode: 'disabled',
  health: 'healthy',
});

test('clusters that define one service: one service with the addresses of each, and a shard of endpoints from each', () => {
  const east = memoryRegistry('east', 'Kubernetes');
  const west = memoryRegistry('western', 'Kubernetes');
  const extra = memoryRegistry('extra', 'External');
  const memo = new Memo<Proxy>();
  const edit = memo.snapshot.edit().set(registriesSource, SINGLE, [east, west, extra]);
  for (const [at, { instances, cluster, provider }] of [east, west, extra].entries()) {
    edit.set(instances, 'web', {
      service: service(cluster, provider),
      endpoints: at === 2 ? [] : [endpoint(cluster, `10.1.0.${at}`)],
    });
  }
  memo.advance(edit.commit());
  const found = memo.evaluate(anyone, servicesOfHost, 'web.shop.svc.cluster.local');
  expect(found).toEqual(memo.evaluate(anyone, services));
  expect(found.map(({ provider }) => provider).sort()).toEqual(['External', 'Kubernetes']);
  expect(found.find(({ provider }) => provider === 'Kubernetes')).toMatchObject({
    clusters: ['east', 'western'],
    addresses: { east: ['10.0.0.4'], western: ['10.0.0.7'] },
    defaultAddress: '10.0.0.4',
    subjectAltNames: ['east', 'western'],
  });
  expect(memo.evaluate(anyone, endpointShards, 'web.shop.svc.cluster.local', 'shop')).toMatchObject([
    { provider: 'Kubernetes', cluster: 'east' },
    { provider: 'Kubernetes', cluster: 'western' },
  ]);
  const targets = (cluster: string) =>
    memo.evaluate(sidecar('x', '10.1.0.1', { CLUSTER_ID: cluster }), serviceTargets).length;
  expect([targets('western'), targets('east'), targets('')]).toEqual([1, 0, 1]);
});

/* Random meshes: few names, so that objects meet. */

const name = fc.constantFrom('a', 'b');
const namespace = fc.constantFrom('shop', 'bank');
const label = fc.constantFrom('app: a', 'app: b', 'app: a, v: "1"');
const address = fc.constantFrom('10.1.0.1', '10.1.0.2', '172.16.0.1');
const meta = (kind: string, version: string, labels: fc.Arbitrary<string> = fc.constant('')) =>
  fc.tuple(name, namespace, labels).map(
    ([n, ns, l]) => `apiVersion: ${version}\nkind: ${kind}\nmetadata: {name: ${n}, namespace: ${ns}, labels: {${l}}}\n`,
  ); // prettier-ignore

const manifest = fc.oneof(
  fc.tuple(meta('Service', 'v1'), label, fc.constantFrom('10.96.0.1', 'None'), fc.constantFrom('8080', 'web')).map(
    ([head, selector, ip, port]) => `${head}spec: {clusterIP: ${ip}, selector: {${selector}}, ports: [{name: http, port: 80, targetPort: ${port}}]}\n`,
  ),
  fc.tuple(meta('Pod', 'v1', label), address, fc.constantFrom('True', 'False'), fc.constantFrom('n1', 'n2')).map(
    ([head, ip, ready, node]) => `${head}spec: {nodeName: ${node}, containers: [{name: c, ports: [{name: web, containerPort: 8081}]}]}\nstatus: {podIP: ${ip}, conditions: [{type: Ready, status: "${ready}"}]}\n`,
  ),
  fc.tuple(meta('EndpointSlice', 'discovery.k8s.io/v1', name.map((n) => `kubernetes.io/service-name: ${n}`)), address, fc.constantFrom('', ', targetRef: {kind: Pod, name: a, namespace: shop}')).map(
    ([head, ip, ref]) => `${head}addressType: IPv4\nports: [{name: http, port: 8080}]\nendpoints: [{addresses: [${ip}]${ref}}]\n`,
  ),
  fc.tuple(meta('ServiceEntry', 'networking.istio.io/v1'), fc.constantFrom('a.shop.svc.cluster.local', 'x.example'), fc.constantFrom('STATIC', 'DNS', 'NONE'), fc.oneof(label.map((l) => `workloadSelector: {labels: {${l}}}`), address.map((ip) => `endpoints: [{address: ${ip}}]`), fc.constant('exportTo: ["."]'))).map(
    ([head, host, resolution, more]) => `${head}spec: {hosts: [${host}], resolution: ${resolution}, ports: [{number: 80, name: http}], ${more}}\n`,
  ),
  fc.tuple(meta('WorkloadEntry', 'networking.istio.io/v1'), address, label).map(
    ([head, ip, labels]) => `${head}spec: {address: ${ip}, labels: {${labels}}}\n`,
  ),
  fc.constantFrom('n1', 'n2').chain((n) => fc.constantFrom('r1', 'r2').map((region) => `apiVersion: v1\nkind: Node\nmetadata: {name: ${n}, labels: {topology.kubernetes.io/region: ${region}}}\n`)),
    fc.constantFrom('PreferClose', 'PreferSameNode').map((near) => `apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, annotations: {networking.istio.io/traffic-distribution: ${near}}}\n`),
fc.constantFrom('net-a', 'net-b').map((network) => `apiVersion: v1\nkind: Namespace\nmetadata: {name: istio-system, labels: {topology.istio.io/network: ${network}}}\n`),
).map((text) => objectsOf(text)[0] as Config); // prettier-ignore

const step = fc.record({ object: manifest, gone: fc.boolean() });

const proxies = [
  sidecar('a', '10.1.0.1', { LABELS: { app: 'a' } }),
  sidecar('b', '10.1.0.2', { LABELS: { app: 'b', v: '1' } }),
  sidecar('vm', '172.16.0.1', { LABELS: { app: 'a', v: '1' } }),
  sidecar('late', '10.1.0.9', { LABELS: { app: 'a', v: '1' } }),
  sidecar('late', '10.1.0.9', { LABELS: { app: 'b' } }),
  sidecar('late', '10.1.0.9', { LABELS: { app: 'b' }, CLUSTER_ID: 'other' }),
];
const hosts = ['a.shop', 'b.shop', 'a.bank'].map((host) => `${host}.svc.cluster.local`).concat('x.example');

/** Every answer of every query. */
function answers(memo: Memo<Proxy>): unknown {
  const ask = <V>(query: Query<Proxy, [], V>): readonly V[] => proxies.map((proxy) => memo.evaluate(proxy, query));
  return {
    services: ask(services),
    targets: ask(serviceTargets),
    workloads: ask(proxyWorkload),
    gateways: ask(networkGateways),
    hosts: hosts.map((host) => ({
      services: memo.evaluate(anyone, servicesOfHost, host),
      endpoints: ['shop', 'bank'].map((ns) => memo.evaluate(anyone, endpointShards, host, ns)),
    })),
  };
}

const keyText = ({ kind, namespace: ns, name: n }: Config): string => `${kind}/${ns}/${n}`;

type Step = { readonly object: Config; readonly gone: boolean };
type History = readonly (readonly Step[])[];

const history: fc.Arbitrary<History> = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), {
  maxLength: 12,
  size: 'max',
});

/** The answers after a history that was lived through, and those of a fresh start with what it left. */
function livedAndFresh(batches: History, records?: (accessor: string) => boolean): readonly [unknown, unknown] {
  const lived = meshOf('', { records });
  const present = new Map<string, Config>();
  for (const batch of batches) {
    for (const { object, gone } of batch) {
      if (gone) present.delete(keyText(object));
      else present.set(keyText(object), object);
    }
    change(
      lived,
      batch.map(({ object, gone }) => ({ key: object, ...(!gone && { new: object }) })),
    );
    answers(lived);
  }
  const fresh = meshOf('');
  putObjects(fresh, [...present.values()].reverse());
  return [answers(lived), answers(fresh)];
}

describe('whatever happens to the objects of a mesh', () => {
  test('answers are those that a fresh start gives, in whatever order the objects are read', () => {
    fc.assert(
      fc.property(history, (batches) => {
        const [lived, fresh] = livedAndFresh(batches);
        expect(lived).toEqual(fresh);
      }),
      { numRuns: 150, seed: 11 },
    );
  });

  const histories = fc.sample(history, { numRuns: 500, seed: 12 });

  test.each([
    'EndpointSlice.service',
    'Namespace',
    'Node',
    'Pod',
    'Pod.ip',
    'Pod.label',
    'Service',
    'Service.namespace',
    'Service.selector',
    'ServiceEntry',
    'ServiceEntry.endpoint',
    'ServiceEntry.host',
    'ServiceEntry.selector',
    'WorkloadEntry',
    'WorkloadEntry.address',
    'WorkloadEntry.label',
    'cluster',
    'proxy.address',
    'proxy.pod',
    'proxy.selectedBy',
    'entryServices',
    'kubernetesService',
    'podWorkload',
    'workloadEntry',
  ])('a forgotten read of %s would be seen', (forgotten) => {
    const shows = histories.some((batches) => {
      const [lived, fresh] = livedAndFresh(batches, (accessor) => accessor !== forgotten);
      return !deepEqual(lived, fresh);
    });
    expect(shows).toBe(true);
  });
});
