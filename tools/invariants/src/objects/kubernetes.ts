import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { type Manifest, manifests } from './manifest.ts';
import {
  address,
  fewOf,
  LOCALITIES,
  labels,
  network,
  objectName,
  PORTS,
  ports,
  ROOT_NAMESPACE,
  selector,
  someOf,
} from './names.ts';

/* Objects of Kubernetes itself. */

const nodeName = fc.constantFrom('n1', 'n2');
const containerPort = fc.constantFrom(8080, 'web');

const servicePorts = ports.chain((chosen) =>
  fc.tuple(
    ...chosen.map(({ name, number }) =>
      fc
        .tuple(containerPort, fc.constantFrom(undefined, undefined, 'http2', 'tcp'))
        .map(([targetPort, appProtocol]) => ({ name, port: number, targetPort, ...(appProtocol && { appProtocol }) })),
    ),
  ),
);

const serviceIp = fc.constantFrom('10.96.0.1', '10.96.0.2', '10.96.0.3');

const serviceSpec = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        fc.record({ clusterIP: serviceIp, ports: servicePorts, selector }),
        someOf({
          publishNotReadyAddresses: fc.boolean(),
          trafficDistribution: fc.constantFrom('PreferClose', 'PreferSameNode'),
        }),
      )
      .map(([spec, more]) => ({ ...spec, ...more })),
  },
  { weight: 2, arbitrary: fc.record({ clusterIP: fc.constant('None'), ports: servicePorts, selector }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('ExternalName'), externalName: fc.constantFrom('x.example', 'a.bank.svc.cluster.local'), ports: servicePorts }), // prettier-ignore
  },
);

const serviceMetadata = someOf({
  annotations: fc.constantFrom(
    { 'networking.istio.io/exportTo': '.' },
    { 'networking.istio.io/exportTo': 'bank' },
    { 'networking.istio.io/traffic-distribution': 'PreferClose' },
  ),
  labels: fc.oneof(
    labels,
    network.map((name) => ({ 'topology.istio.io/network': name })),
  ),
});

/** A gateway to one of the networks. */
const gatewayService = manifests(
  'v1',
  'Service',
  fc.record({ type: fc.constant('LoadBalancer'), clusterIP: serviceIp, ports: servicePorts, selector }),
  { metadata: network.map((name) => ({ labels: { 'topology.istio.io/network': name } })) },
);

const service = fc
  .tuple(
    fc.oneof(
      { weight: 6, arbitrary: manifests('v1', 'Service', serviceSpec, { metadata: serviceMetadata }) },
      { weight: 1, arbitrary: gatewayService },
    ),
    fc.constantFrom([], [{ ip: '10.2.0.1' }], [{ ip: '10.2.0.2' }]),
  )
  .map(([object, ingress]) => ({ ...object, status: { loadBalancer: { ingress } } }));

const sliceEndpoint = fc
  .tuple(
    address,
    fc.constantFrom({ nodeName: 'n1' }, { nodeName: 'n2' }, {}),
    fewOf({
      conditions: fc.constantFrom(
        { ready: true },
        { ready: false },
        { ready: false, serving: true, terminating: true },
      ),
      zone: fc.constantFrom('z1', 'z2'),
      hostname: objectName,
      targetRef: fc
        .record({ name: objectName, namespace: fc.constantFrom('shop', 'bank') })
        .map((target) => ({ kind: 'Pod', ...target })),
    }),
  )
  .map(([ip, node, more]) => ({ addresses: [ip], ...node, ...more }));

/** Most of the ports that services have. */
const slicePorts = fc
  .subarray([...PORTS], { minLength: 5 })
  .map((chosen) => chosen.map(({ name }) => ({ name, port: 8080, protocol: 'TCP' })));

const endpointSlice = manifests(
  'discovery.k8s.io/v1',
  'EndpointSlice',
  fc.record({
    addressType: fc.constant('IPv4'),
    ports: slicePorts,
    endpoints: fc.uniqueArray(sliceEndpoint, { minLength: 1, maxLength: 3, selector: ({ addresses }) => addresses[0] }),
  }),
  {
    name: fc.constantFrom('a-1', 'a-2', 'b-1'),
    metadata: objectName.map((of) => ({ labels: { 'kubernetes.io/service-name': of } })),
    field: null,
  },
);

const pod = manifests(
  'v1',
  'Pod',
  fc.record({
    spec: fc.record({
      nodeName,
      serviceAccountName: objectName,
      containers: fc
        .constantFrom(8080, 9000)
        .map((port) => [{ name: 'c', ports: [{ name: 'web', containerPort: port }] }]),
    }),
    status: fc
      .tuple(address, fc.constantFrom('True', 'False'))
      .map(([podIP, ready]) => ({ phase: 'Running', podIP, podIPs: [{ ip: podIP }], conditions: [{ type: 'Ready', status: ready }] })), // prettier-ignore
  }),
  {
    metadata: fc
      .tuple(
        labels,
        fc.constantFrom(
          {},
          { 'security.istio.io/tlsMode': 'istio' },
          { 'topology.istio.io/network': 'net-b' },
          { 'istio-locality': 'r2.z3' },
        ),
      ) // prettier-ignore
      .map(([own, more]) => ({ labels: { ...own, ...more } })),
    field: null,
  },
);

const node = manifests('v1', 'Node', fc.constant({}), {
  name: nodeName,
  namespace: null,
  metadata: fc.constantFrom(...LOCALITIES).map((place) => {
    const [region, zone, subzone] = place.split('/');
    return {
      labels: {
        'topology.kubernetes.io/region': region,
        'topology.kubernetes.io/zone': zone,
        ...(subzone && { 'topology.istio.io/subzone': subzone }),
      },
    };
  }),
});

const namespaceObject = manifests('v1', 'Namespace', fc.constant({}), {
  name: fc.constantFrom('shop', 'bank', ROOT_NAMESPACE),
  namespace: null,
  metadata: someOf({
    labels: fc.constantFrom(
      { 'topology.istio.io/network': 'net-a' },
      { 'topology.istio.io/network': 'net-b' },
      { team: 'x' },
    ),
    annotations: fc.constantFrom(
      { 'networking.istio.io/traffic-distribution': 'PreferClose' },
      { 'networking.istio.io/exportTo': '.' },
    ),
  }),
});

const pem = (name: string): string => readFileSync(new URL(`../../testdata/${name}`, import.meta.url), 'base64');

export const certificates = [1, 2].map((number) => ({
  'tls.crt': pem(`server-${number}.pem`),
  'tls.key': pem(`server-${number}.key`),
}));

const secret = manifests(
  'v1',
  'Secret',
  fc.constantFrom(...certificates).chain(
    (pair) =>
    fc.constantFrom({}, { 'ca.crt': pair['tls.crt'] }).map((more) => ({ type: 'kubernetes.io/tls', data: { ...pair, ...more } })), // prettier-ignore
  ),
  { name: fc.constantFrom('cred-a', 'cred-b', 'cred-a-cacert'), field: null },
);

const ingressClass = manifests(
  'networking.k8s.io/v1',
  'IngressClass',
  fc.constantFrom('istio.io/ingress-controller', 'example.com/other').map((controller) => ({ controller })),
  { name: fc.constant('a'), namespace: null },
);

const backend = fc
  .tuple(objectName, fc.constantFrom({ number: 80 }, { number: 8080 }, { name: 'http' }))
  .map(([name, port]) => ({ service: { name, port } }));

const ingressPath = fc
  .record({ path: fc.constantFrom('/', '/a'), pathType: fc.constantFrom('Prefix', 'Exact'), backend })
  .map((path) => ({ http: { paths: [path] } }));

const ingress = manifests(
  'networking.k8s.io/v1',
  'Ingress',
  fc
    .tuple(
      fc.array(
        fc
          .tuple(fc.constantFrom('x.example', 'y.x.example', undefined), ingressPath)
          .map(([host, rule]) => ({ ...(host && { host }), ...rule })),
        { minLength: 1, maxLength: 2 },
      ),
      fc.constantFrom({ ingressClassName: 'a' }, { ingressClassName: 'a' }, {}),
      someOf({
        tls: fc.constantFrom('cred-a', 'cred-b').map((secretName) => [{ hosts: ['x.example'], secretName }]),
        defaultBackend: backend,
      }),
    )
    .map(([rules, named, more]) => ({ rules, ...named, ...more })),
);

export const kubernetesObjects: Readonly<Record<string, fc.Arbitrary<Manifest>>> = {
  Service: service,
  EndpointSlice: endpointSlice,
  Pod: pod,
  Node: node,
  Namespace: namespaceObject,
  Secret: secret,
  Ingress: ingress,
  IngressClass: ingressClass,
};
