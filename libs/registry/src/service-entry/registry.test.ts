import { describe, expect, test } from '@jest/globals';
import { parseMeshConfig } from '@kedge/model';
import { endpointShards, proxyWorkload, services, servicesOfHost, serviceTargets } from '../aggregate.ts';
import { meshOf, type MeshOptions, sidecar } from '../testing.ts';

const anyone = sidecar('anyone', '10.9.9.9');

const entry = (name: string, spec: string, metadata = ''): string =>
  `apiVersion: networking.istio.io/v1\nkind: ServiceEntry\nmetadata: {name: ${name}, namespace: shop${metadata}}\nspec: {${spec}}\n`;
const workload = (name: string, spec: string, metadata = ''): string =>
  `apiVersion: networking.istio.io/v1\nkind: WorkloadEntry\nmetadata: {name: ${name}, namespace: shop${metadata}}\nspec: {${spec}}\n`;
const pod = (name: string, address: string, ready = 'True'): string => `apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: shop, labels: {app: a}}
spec: {serviceAccountName: sa, containers: [{name: c, ports: [{name: http, containerPort: 8088, protocol: TCP}]}]}
status: {phase: Running, podIP: ${address}, conditions: [{type: Ready, status: "${ready}"}]}
`;
const join = (...documents: readonly string[]): string => documents.join('---\n');
const HTTP = 'ports: [{number: 80, name: http, protocol: HTTP}]';

describe('services', () => {
  const all = (manifests: string, host: string, options?: MeshOptions) =>
    meshOf(manifests, options).evaluate(anyone, servicesOfHost, host);

  test.each([
    ['', { resolution: 'passthrough', meshExternal: true, addresses: {}, defaultAddress: '0.0.0.0' }],
    ['resolution: STATIC, location: MESH_INTERNAL', { resolution: 'client-side-lb', meshExternal: false }],
    ['resolution: DNS_ROUND_ROBIN', { resolution: 'dns-round-robin' }],
    ['addresses: [10.0.0.1/32, 10.1.0.0/16]', { addresses: { '*': ['10.0.0.1', '10.1.0.0/16'] }, defaultAddress: '10.0.0.1' }],
    ['ports: [{number: 80, name: x, protocol: grpc, targetPort: 8080}]', { ports: [{ name: 'x', port: 80, protocol: 'GRPC', targetPort: 8080 }] }],
    ['exportTo: ["."]', { exportTo: ['shop'] }],
    ['subjectAltNames: [a, b]', { subjectAltNames: ['a', 'b'] }],
    ['workloadSelector: {labels: {app: a}}', { selector: { app: 'a' } }],
  ])('%s', (spec, expected) => {
    const [service] = all(entry('a', `hosts: [a.example]${spec && `, ${spec}`}`), 'a.example');
    expect(service).toMatchObject({ provider: 'External', namespace: 'shop', name: 'a', ...expected });
  }); // prettier-ignore

  test('visibility is narrowed to what the mesh allows the namespace', () => {
    const visible = (exportTo: string, serviceEntryVisibility: object) =>
      all(
        join(
          entry('a', `hosts: [a.example], exportTo: [${exportTo}]`),
          'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {team: a}}\n',
        ),
        'a.example',
        { mesh: parseMeshConfig(JSON.stringify({ serviceEntryVisibility })).mesh },
      )[0]?.exportTo;
    const applyToSidecars = true;
    const matchingRules = [{ namespaceSelector: { matchLabels: { team: 'a' } } }];
    expect(visible('"*"', { defaultVisibility: 'NONE' })).toBe('*');
    expect(visible('"*"', { defaultVisibility: 'NONE', applyToSidecars })).toEqual([]);
    expect(visible('"*"', { defaultVisibility: 'NAMESPACE', applyToSidecars })).toEqual(['shop']);
    expect(visible('other', { defaultVisibility: 'NAMESPACE', applyToSidecars })).toEqual([]);
    const policies = [{ visibility: 'PUBLIC', matchingRules }];
    expect(visible('other', { defaultVisibility: 'NONE', applyToSidecars, policies })).toEqual(['other']);
  });

  test('hosts are the same whatever their case', () => {
    expect(all(entry('a', 'hosts: [A.Example, a.example]'), 'a.example')).toHaveLength(1);
  });

  test('entries of one host stay apart, the oldest first, even where their resolutions differ', () => {
    const manifests = join(
      entry('new', `hosts: [a.example], resolution: DNS, ${HTTP}`, ', creationTimestamp: "2024-05-01T00:00:00Z"'),
      entry('old', 'hosts: [a.example], resolution: STATIC, ports: [{number: 443, name: tls, protocol: TLS}], endpoints: [{address: 1.1.1.1}]'), // prettier-ignore
    );
    expect(all(manifests, 'a.example').map(({ name, resolution }) => [name, resolution])).toEqual([
      ['old', 'client-side-lb'],
      ['new', 'dns'],
    ]);
  });

  test('addresses that were allocated stand in the status', () => {
    const allocated = (spec: string, metadata = '', options?: MeshOptions) =>
      all(`${entry('a', `hosts: [a.example], ${spec}`, metadata)}status: {addresses: [{value: 240.240.0.7, host: a.example}, {value: 240.240.0.8, host: b.example}]}`, 'a.example', options)[0]?.autoAllocated; // prettier-ignore
    expect(allocated('resolution: DNS')).toEqual(['240.240.0.7']);
    expect(allocated('resolution: NONE')).toEqual([]);
    expect(allocated('resolution: DNS, addresses: [1.1.1.1]')).toEqual([]);
    expect(allocated('resolution: DNS', ', labels: {networking.istio.io/enable-autoallocate-ip: "False"}')).toEqual([]);
    const unallocated = { environment: { PILOT_ENABLE_IP_AUTOALLOCATE: 'false' } };
    expect(allocated('resolution: DNS', '', unallocated)).not.toContain('240.240.0.7');
  });

  test('an enumeration holds those of Kubernetes too, oldest first', () => {
    const service = 'apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\n';
    const memo = meshOf(join(entry('z', 'hosts: [z.example, a.example]'), service));
    expect(memo.evaluate(anyone, services).map(({ hostname }) => hostname)).toEqual([
      'a.example',
      'web.shop.svc.cluster.local',
      'z.example',
    ]);
  });
});

describe('endpoints', () => {
  const endpointsOf = (manifests: string) =>
    meshOf(manifests)
      .evaluate(anyone, endpointShards, 'a.example', 'shop')
      .flatMap(({ endpoints }) => endpoints);
  const places = (manifests: string) =>
    endpointsOf(manifests).map(({ addresses, port, portName }) => `${addresses[0]} ${port} ${portName}`);

  test('the host itself, where DNS resolves it', () => {
    expect(places(entry('a', `hosts: [a.example], resolution: DNS, ${HTTP}`))).toEqual(['a.example 80 http']);
    expect(places(entry('a', `hosts: [a.example], resolution: STATIC, ${HTTP}`))).toEqual([]);
  });

  test('ports: a socket has none; else the endpoint says, the target port, or the number', () => {
    const spec = (endpoint: string) =>
      entry('a', `hosts: [a.example], resolution: STATIC, ports: [{number: 80, name: http, targetPort: 8080}, {number: 90, name: raw}], endpoints: [{address: ${endpoint}}]`); // prettier-ignore
    expect(places(spec('"unix:///run/a.sock"'))).toEqual(['unix:///run/a.sock 0 http', 'unix:///run/a.sock 0 raw']);
    expect(places(spec('1.1.1.1'))).toEqual(['1.1.1.1 8080 http', '1.1.1.1 90 raw']);
    expect(places(spec('1.1.1.1, ports: {http: 7}'))).toEqual(['1.1.1.1 7 http', '1.1.1.1 90 raw']);
  });

  test('of several round-robin entries the first serves a port', () => {
    const manifests = join(
      entry('a', `hosts: [a.example], resolution: DNS_ROUND_ROBIN, ${HTTP}, endpoints: [{address: one.example}, {address: two.example}]`),
      entry('b', `hosts: [a.example], resolution: DNS_ROUND_ROBIN, ports: [{number: 80, name: http}, {number: 81, name: alt}]`),
    ); // prettier-ignore
    expect(places(manifests)).toEqual(['one.example 80 http', 'a.example 81 alt']);
  });

  test('workloads that are selected: ready pods first, then WorkloadEntries with an IP address', () => {
    const manifests = join(
      entry('a', `hosts: [a.example], resolution: STATIC, ${HTTP}, workloadSelector: {labels: {app: a}}`),
      workload('vm', 'address: 1.1.1.1, labels: {app: a}, weight: 3, locality: r/z, network: net, serviceAccount: vm'),
      workload('named', 'address: vm.example, labels: {app: a}'),
      workload('overridden', 'address: 1.1.1.2, labels: {app: a}', ', labels: {app: b}'),
      workload('sick', 'address: 1.1.1.3, labels: {app: a}', ', annotations: {proxy.istio.io/health-checks-enabled: "true"}'), // prettier-ignore
      pod('p', '10.1.0.1'),
      pod('unready', '10.1.0.2', 'False'),
    );
    expect(places(manifests)).toEqual(['10.1.0.1 8088 http', '1.1.1.1 80 http']);
    expect(endpointsOf(manifests)[1]).toMatchObject({
      weight: 3,
      locality: 'r/z',
      network: 'net',
      serviceAccount: 'spiffe://cluster.local/ns/shop/sa/vm',
      tlsMode: 'istio',
      workloadName: 'vm',
      servicePort: 80,
    });
  });
});

test('the network of an entry is what it says, not that of the cluster which holds it', () => {
  const networks = 'networks: {here: {endpoints: [{fromRegistry: Kubernetes}]}}';
  const manifests = entry('a', `hosts: [a.example], resolution: STATIC, ${HTTP}, endpoints: [{address: 1.1.1.1}, {address: 2.2.2.2, network: there}]`); // prettier-ignore
  const [shard] = meshOf(manifests, { networks }).evaluate(anyone, endpointShards, 'a.example', 'shop');
  expect(shard?.endpoints.map(({ labels }) => labels['topology.istio.io/network'])).toEqual([undefined, 'there']);
});

describe('what a proxy serves', () => {
  const manifests = join(
    entry('listed', `hosts: [listed.example], resolution: STATIC, ${HTTP}, endpoints: [{address: 10.1.0.1}, {address: 10.1.0.9}]`), // prettier-ignore
    entry('selecting', `hosts: [s.example, t.example], resolution: STATIC, ${HTTP}, workloadSelector: {labels: {app: a}}`), // prettier-ignore
    workload('vm', 'address: 172.16.0.1, labels: {app: a}, locality: r'),
    pod('p', '10.1.0.1'),
  );
  const targets = (address: string, metadata = {}) =>
    meshOf(manifests)
      .evaluate(sidecar('x', address, metadata), serviceTargets)
      .map(({ service, targetPort }) => `${service.hostname} ${targetPort}`);

  test('entries that list or select its address, in its own namespace', () => {
    expect(targets('10.1.0.1')).toEqual(['listed.example 80', 's.example 8088', 't.example 8088']);
    expect(targets('172.16.0.1')).toEqual(['s.example 80', 't.example 80']);
    expect(targets('172.16.0.1', { NAMESPACE: 'other' })).toEqual([]);
    expect(targets('1.2.3.4')).toEqual([]);
  });

  test('where its workload runs', () => {
    expect(meshOf(manifests).evaluate(sidecar('vm', '172.16.0.1'), proxyWorkload)).toMatchObject({ locality: 'r' });
  });
});
