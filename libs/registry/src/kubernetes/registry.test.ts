import { describe, expect, test } from '@jest/globals';
import type { Endpoint } from '@kedge/model';
import {
  endpointShards,
  networkGateways,
  proxyWorkload,
  services,
  servicesOfHost,
  serviceTargets,
} from '../aggregate.ts';
import { change, meshOf, type MeshOptions, objectsOf, putObjects, sidecar } from '../testing.ts';

const anyone = sidecar('anyone', '10.9.9.9');

const web = `
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop, labels: {team: a}}
spec:
  clusterIP: 10.96.0.5
  selector: {app: web}
  ports: [{name: http, port: 80, targetPort: http-alt}, {name: raw, port: 90, targetPort: 9090}]
`;
const webSlice = `
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: web-1, namespace: shop, labels: {kubernetes.io/service-name: web}}
addressType: IPv4
ports: [{name: http, port: 8080}]
endpoints: [{addresses: [10.1.0.5], targetRef: {kind: Pod, name: web-5d-x, namespace: shop}}]
`;
const webPod = `
apiVersion: v1
kind: Pod
metadata:
  name: web-5d-x
  generateName: web-5d-
  namespace: shop
  labels: {app: web, pod-template-hash: 5d, security.istio.io/tlsMode: istio}
  ownerReferences: [{kind: ReplicaSet, name: web-5d, controller: true}]
spec:
  nodeName: node-a
  serviceAccountName: web
  containers: [{name: app, ports: [{name: http-alt, containerPort: 8080}]}]
status: {phase: Running, podIP: 10.1.0.5, podIPs: [{ip: 10.1.0.5}], conditions: [{type: Ready, status: "True"}]}
`;
const node = `
apiVersion: v1
kind: Node
metadata: {name: node-a, labels: {topology.kubernetes.io/region: r, topology.kubernetes.io/zone: z}}
`;
const join = (...documents: readonly string[]): string => documents.join('---');

function endpointsOf(manifests: string, host: string, options?: MeshOptions): readonly Endpoint[] {
  return meshOf(manifests, options)
    .evaluate(anyone, endpointShards, host, 'shop')
    .flatMap(({ endpoints }) => endpoints);
}

describe('services', () => {
  const serviceOf = (spec: string, metadata = '') =>
    meshOf(`apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: shop${metadata}}\nspec: {${spec}}`, {
      mesh: { trustDomain: 'td' },
    }).evaluate(anyone, servicesOfHost, 's.shop.svc.cluster.local')[0];

  test.each([
    ['clusterIP: 10.0.0.1', { addresses: { Kubernetes: ['10.0.0.1'] }, defaultAddress: '10.0.0.1', resolution: 'client-side-lb' }],
    ['clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1, "fd00::1"]', { addresses: { Kubernetes: ['10.0.0.1', 'fd00::1'] } }],
    ['clusterIP: None', { addresses: {}, defaultAddress: '0.0.0.0', resolution: 'passthrough', meshExternal: false }],
    ['type: ExternalName, externalName: X.com', { resolution: 'alias', meshExternal: true, kubernetes: { externalName: 'x.com' } }],
    ['internalTrafficPolicy: Local', { kubernetes: { nodeLocal: true } }],
    ['externalIPs: [1.2.3.4]', { kubernetes: { externalAddresses: { Kubernetes: ['1.2.3.4'] } } }],
    ['trafficDistribution: PreferClose', { trafficDistribution: 'prefer-same-zone' }],
    ['ports: [{name: grpc-x, port: 1, targetPort: 7}]', { ports: [{ name: 'grpc-x', port: 1, protocol: 'GRPC', targetPort: 7 }] }],
  ])('%s', (spec, expected) => expect(serviceOf(spec)).toMatchObject(expected)); // prettier-ignore

  test.each([
    ['networking.istio.io/exportTo: "., other"', { exportTo: ['other', 'shop'] }],
    ['networking.istio.io/exportTo: "~"', { exportTo: [] }],
    ['networking.istio.io/traffic-distribution: PreferSameNode', { trafficDistribution: 'prefer-same-node' }],
    ['alpha.istio.io/kubernetes-serviceaccounts: "a, b"', { subjectAltNames: ['spiffe://td/ns/shop/sa/a', 'spiffe://td/ns/shop/sa/b'] }],
  ])('annotation %s', (annotation, expected) =>
    expect(serviceOf('', `, annotations: {${annotation}}`)).toMatchObject(expected)); // prettier-ignore

  test('namespaces that no discovery selector chooses have none', () => {
    const mesh = { discoverySelectors: [{ matchLabels: { mesh: 'yes' }, matchExpressions: [] }] };
    const memo = meshOf(web, { mesh });
    expect(memo.evaluate(anyone, services)).toEqual([]);
    putObjects(memo, objectsOf('apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {mesh: "yes"}}'));
    expect(memo.evaluate(anyone, services).map(({ name }) => name)).toEqual(['web']);
  });
});

describe('endpoints', () => {
  test('a pod lends its endpoint what it is', () => {
    expect(endpointsOf(join(web, webSlice, webPod, node), 'web.shop.svc.cluster.local')).toEqual([
      {
        addresses: ['10.1.0.5'],
        port: 8080,
        portName: 'http',
        labels: {
          app: 'web',
          'pod-template-hash': '5d',
          'security.istio.io/tlsMode': 'istio',
          'topology.kubernetes.io/region': 'r',
          'topology.kubernetes.io/zone': 'z',
          'topology.istio.io/cluster': 'Kubernetes',
          'kubernetes.io/hostname': 'node-a',
        },
        serviceAccount: 'spiffe://cluster.local/ns/shop/sa/web',
        namespace: 'shop',
        workloadName: 'web',
        network: '',
        locality: 'r/z/',
        cluster: 'Kubernetes',
        nodeName: 'node-a',
        weight: 0,
        tlsMode: 'istio',
        health: 'healthy',
      },
    ]);
  });

  test('an endpoint waits for its pod', () => {
    const memo = meshOf(join(web, webSlice));
    expect(memo.evaluate(anyone, endpointShards, 'web.shop.svc.cluster.local', 'shop')).toEqual([]);
    putObjects(memo, objectsOf(webPod));
    expect(memo.evaluate(anyone, endpointShards, 'web.shop.svc.cluster.local', 'shop')).toHaveLength(1);
  });

  test.each([
    ['{}', '', 'healthy'],
    ['{ready: true, terminating: true}', '', 'healthy'],
    ['{ready: false, serving: true, terminating: true}', '', 'terminating'],
    ['{ready: false, serving: true, terminating: true}', 'istio.io/persistent-session: cookie', 'draining'],
    ['{ready: false, serving: false, terminating: false}', '', 'unhealthy'],
  ])('conditions %s of a service with labels {%s}', (conditions, labels, health) => {
    const slice = webSlice.replace('{addresses:', `{conditions: ${conditions}, addresses:`);
    const service = web.replace('team: a', labels || 'team: a');
    const [endpoint] = endpointsOf(join(service, slice, webPod), 'web.shop.svc.cluster.local');
    expect(endpoint?.health).toBe(health);
  });

  test('one endpoint for a pod of two address families, where the service has both too', () => {
    const service = web.replace('clusterIP: 10.96.0.5', 'clusterIP: 10.96.0.5, clusterIPs: [10.96.0.5, "fd00::5"]'.replace(', clusterIPs', '\n  clusterIPs')); // prettier-ignore
    const pod = webPod.replace('podIPs: [{ip: 10.1.0.5}]', 'podIPs: [{ip: 10.1.0.5}, {ip: "fd00:1::5"}]');
    const six = webSlice.replace('web-1', 'web-2').replace('IPv4', 'IPv6').replace('[10.1.0.5]', '["fd00:1::5"]');
    const manifests = join(service, webSlice, six, pod);
    const addresses = (options: MeshOptions) =>
      endpointsOf(manifests, 'web.shop.svc.cluster.local', options).map((endpoint) => endpoint.addresses);
    expect(addresses({ environment: { ISTIO_DUAL_STACK: 'true' } })).toEqual([['10.1.0.5', 'fd00:1::5']]);
    expect(addresses({})).toEqual([['10.1.0.5'], ['fd00:1::5']]);
  });

  test('networks: the label of the pod, of the system namespace, then MeshNetworks', () => {
    const networks =
      'networks: {wide: {endpoints: [{fromCidr: 10.0.0.0/8}]}, narrow: {endpoints: [{fromCidr: 10.1.0.0/16}]}}';
    const system = '\napiVersion: v1\nkind: Namespace\nmetadata: {name: istio-system, labels: {topology.istio.io/network: sys}}\n'; // prettier-ignore
    const labelled = webPod.replace('app: web,', 'app: web, topology.istio.io/network: own,');
    const network = (...documents: string[]) =>
      endpointsOf(join(web, webSlice, ...documents), 'web.shop.svc.cluster.local', { networks })[0]?.network;
    expect(network(labelled, system)).toBe('own');
    expect(network(webPod, system)).toBe('sys');
    expect(network(webPod)).toBe('wide');
  });

  test('a service selects WorkloadEntries too', () => {
    const entry = (name: string, more: string) =>
      `\napiVersion: networking.istio.io/v1\nkind: WorkloadEntry\nmetadata: {name: ${name}, namespace: shop}\nspec: {address: ${more}}\n`;
    const found = endpointsOf(
      join(
        web,
        entry('vm', '172.16.0.1, labels: {app: web}, ports: {http-alt: 18080}, serviceAccount: vm'),
        entry('named', 'vm.example.com, labels: {app: web}, ports: {http-alt: 1}'),
        entry('other', '172.16.0.2, labels: {app: other}'),
      ),
      'web.shop.svc.cluster.local',
    );
    expect(found.map(({ addresses, port, portName, health }) => [addresses[0], port, portName, health])).toEqual([
      ['172.16.0.1', 18080, 'http', 'unknown'],
      ['172.16.0.1', 9090, 'raw', 'unknown'],
    ]);
  });

  test('a change of one pod recomputes the endpoints of its services only', () => {
    const other = join(web, webSlice, webPod).replaceAll('web', 'api').replaceAll('10.1.0.5', '10.1.0.6');
    const memo = meshOf(join(web, webSlice, webPod, other));
    const read = () => {
      for (const name of ['web', 'api'])
        memo.evaluate(anyone, endpointShards, `${name}.shop.svc.cluster.local`, 'shop');
      return memo.computeCounts.get('sliceEndpoints');
    };
    expect(read()).toBe(2);
    putObjects(memo, objectsOf(webPod.replace('app: web,', 'app: web, version: v2,')));
    expect(read()).toBe(3);
    putObjects(memo, objectsOf(webPod.replace('app: web,', 'app: web, version: v2,').replace('metadata:', 'metadata:\n  resourceVersion: "7"'))); // prettier-ignore
    expect(read()).toBe(3);
  });
});

describe('what a proxy serves', () => {
  const targets = (manifests: string, proxy = sidecar('web-5d-x', '10.1.0.5')) =>
    meshOf(manifests)
      .evaluate(proxy, serviceTargets)
      .map(({ service, port, targetPort }) => `${service.name}:${port.port}->${targetPort}`);

  test('the services that select its pod, once for each port of the pod', () => {
    const twin = web.replace('name: raw, port: 90, targetPort: 9090', 'name: http2, port: 81, targetPort: http-alt');
    expect(targets(join(web, webPod))).toEqual(['web:80->8080', 'web:90->9090']);
    expect(targets(join(twin.replace('http2', 'http-two'), webPod))).toEqual(['web:80->8080']);
  });

  test('by slices, where no service selects its pod', () => {
    expect(targets(join(web.replace('selector: {app: web}', 'selector: {}'), webSlice, webPod))).toEqual([
      'web:80->8080',
    ]);
  });

  test('by its own metadata, while its pod is not known', () => {
    const proxy = (metadata: Readonly<Record<string, unknown>>) => sidecar('late', '10.1.0.7', metadata);
    const LABELS = { app: 'web' };
    const POD_PORTS = '[{"name":"http-alt","containerPort":7070,"protocol":"TCP"}]';
    expect(targets(web, proxy({ LABELS, POD_PORTS }))).toEqual(['web:80->7070', 'web:90->9090']);
    expect(targets(web, proxy({ LABELS, POD_PORTS: '[{"name":"x","containerPort":1,"protocol":"TCP"}]' }))).toEqual([]);
    expect(targets(web, proxy({ LABELS: { app: 'api' } }))).toEqual([]);
  });

  test('only in its own cluster', () => {
    expect(targets(join(web, webPod), sidecar('web-5d-x', '10.1.0.5', { CLUSTER_ID: 'other' }))).toEqual([]);
  });

  test('where its workload runs', () => {
    const memo = meshOf(join(webPod, node));
    expect(memo.evaluate(sidecar('web-5d-x', '10.1.0.5'), proxyWorkload)).toMatchObject({
      locality: 'r/z/',
      labels: { app: 'web', 'topology.kubernetes.io/region': 'r' },
    });
    expect(memo.evaluate(anyone, proxyWorkload)).toBeUndefined();
  });
});

describe('gateways of networks', () => {
  const gateway = `
apiVersion: v1
kind: Service
metadata: {name: ew, namespace: istio-system, labels: {topology.istio.io/network: net-a}, annotations: {traffic.istio.io/nodeSelector: '{"edge":"yes"}'}}
spec: {type: LoadBalancer, ports: [{name: tls, port: 15443, nodePort: 31443}]}
status: {loadBalancer: {ingress: [{ip: 1.2.3.4}, {hostname: lb.example.com}]}}
`;
  const found = (manifests: string, networks = '') =>
    meshOf(manifests, { networks })
      .evaluate(anyone, networkGateways)
      .map(({ network, address, port }) => `${network} ${address}:${port}`);

  test('by label of a service with external addresses', () => {
    expect(found(gateway)).toEqual(['net-a 1.2.3.4:15443', 'net-a lb.example.com:15443']);
  });

  test('at the nodes that a NodePort service chooses', () => {
    const nodes = `
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {edge: "yes"}}
status: {addresses: [{type: InternalIP, address: 10.0.0.1}, {type: ExternalIP, address: 5.6.7.8}]}
---
apiVersion: v1
kind: Node
metadata: {name: n2}
status: {addresses: [{type: ExternalIP, address: 5.6.7.9}]}
`;
    expect(found(join(gateway.replace('LoadBalancer,', 'NodePort,'), nodes))).toEqual(['net-a 5.6.7.8:31443']);
  });

  test('by name in MeshNetworks', () => {
    const networks =
      'networks: {net-b: {endpoints: [{fromRegistry: Kubernetes}], gateways: [{registryServiceName: ew.istio-system.svc.cluster.local, port: 443}]}}';
    expect(found(gateway.replace('topology.istio.io/network: net-a', 'a: b'), networks)).toEqual([
      'net-b 1.2.3.4:443',
      'net-b lb.example.com:443',
    ]);
  });
});

test('what is deleted is gone', () => {
  const memo = meshOf(join(web, webSlice, webPod));
  expect(memo.evaluate(anyone, services)).toHaveLength(1);
  change(memo, objectsOf(web).map((old) => ({ key: old, old }))); // prettier-ignore
  expect(memo.evaluate(anyone, services)).toEqual([]);
});
