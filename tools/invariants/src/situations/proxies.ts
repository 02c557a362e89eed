import { HOST, entry, headlessHere, stating, own, patch, podAt, policy, rule, sliceOf, svc, web } from './parts.ts';
import { authorizationPolicy, destinationRule, mesh, sidecar, type Situation } from './situation.ts';

const cluster = (t: string) => ({ name: 'own', type: 'STATIC', connectTimeout: t });

export const proxySituations: Readonly<Record<string, Situation>> = {
  'patches by version': {
    objects: [...own, patch('CLUSTER', 'ADD', cluster('1s'), { proxy: { proxyVersion: '1\\.20.*' } })],
    proxies: [stating({ ISTIO_VERSION: '1.20.0' }), stating({ ISTIO_VERSION: '1.32.0' })],
  },
  'patches by metadata': {
    objects: [...own, patch('CLUSTER', 'ADD', cluster('1s'), { proxy: { metadata: { COLOUR: 'red' } } })],
    proxies: [stating({ COLOUR: 'red' }), stating({ COLOUR: 'blue' })],
  },
  'headless own address': {
    objects: headlessHere,
    proxies: [
      {},
      { workload: { name: 'b', namespace: 'shop', address: '10.1.0.2', labels: { app: 'a' } } },
      { workload: { name: 'c', namespace: 'shop', address: '10.1.0.77', labels: { app: 'a' } } },
    ],
  },
  'attempt count of proxies': {
    objects: [...own],
    proxies: [
      {},
      stating({ PROXY_CONFIG: { proxyHeaders: { attemptCount: { disabled: true } } } }),
      stating({ PROXY_CONFIG: { proxyHeaders: { xForwardedHost: { enabled: true } } } }),
    ],
  },
  'file socket': {
    objects: [...own, rule({ tls: { mode: 'SIMPLE', caCertificates: '/x' } })],
    proxies: [{}, stating({ 'file-credential': 'true' })],
  },
  'addresses with a Sidecar': {
    objects: [
      ...own,
      sidecar('shop/default', {
        ingress: [{ port: { number: 80, protocol: 'HTTP', name: 'in' }, defaultEndpoint: '0.0.0.0:9999' }],
      }),
    ],
    proxies: [{}, stating({ INSTANCE_IPS: '10.1.0.7' }), stating({ INSTANCE_IPS: 'fd00::1' })],
  },
  'metadata describes': {
    objects: [svc({ selector: { app: 'z' }, ports: [{ ...web, targetPort: 'web' }] })],
    proxies: ['', 'z'].flatMap((app) =>
      [
        [],
        [{ name: 'web', containerPort: 8080, protocol: 'TCP' }],
        [{ name: 'web', containerPort: 8081, protocol: 'TCP' }],
      ].map((ports) => ({
        workload: {
          name: 'q',
          namespace: 'shop',
          address: '10.1.0.88',
          labels: (app ? { app } : {}) as Record<string, string>,
        },
        ...stating(ports.length ? { POD_PORTS: JSON.stringify(ports) } : {}),
      })),
    ),
  },
  'metadata number': {
    objects: [svc({ selector: { app: 'z' } }), policy('a', { selector: { matchLabels: { app: 'z' } } })],
    proxies: [{ app: 'z' }, { app: 'y' }, {}].map((labels) => ({
      workload: { name: 'q', namespace: 'shop', address: '10.1.0.88', labels: labels as Record<string, string> },
    })),
  },
  'metadata namespace': {
    objects: [...own, entry({ endpoints: [{ address: '10.1.0.1' }] })],
    proxies: [{}, stating({ NAMESPACE: 'bank' })],
  },
  'address of an entry': {
    objects: [entry({ endpoints: [{ address: '10.1.0.88' }], location: 'MESH_INTERNAL' })],
    proxies: ['10.1.0.88', '10.1.0.89'].map((address) => ({
      workload: { name: 'q', namespace: 'shop', address, labels: { app: 'q' } },
    })),
  },
  'address of a service target': {
    objects: [svc(), podAt('shop/q', '10.1.0.88', { labels: { app: 'q' } }), sliceOf('shop/a-1', 'a', ['10.1.0.88'])],
    proxies: ['10.1.0.88', '10.1.0.89'].map((address) => ({
      workload: { name: 'q', namespace: 'shop', address, labels: { app: 'q' } },
    })),
  },
  'stated labels': {
    objects: [
      ...own,
      authorizationPolicy('shop/p', {
        targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'g' }],
        rules: [{}],
      }),
      destinationRule('shop/r', {
        host: HOST,
        workloadSelector: { matchLabels: { app: 'q' } },
        trafficPolicy: { connectionPool: { tcp: { maxConnections: 1 } } },
      }),
    ],
    proxies: [{ app: 'q' }, { app: 'z' }, { 'gateway.networking.k8s.io/gateway-name': 'g' }].map((labels) => ({
      workload: {
        name: 'q',
        namespace: 'shop',
        address: '10.1.0.88',
        labels: labels as unknown as Record<string, string>,
      },
    })),
  },
  'dns domains': { objects: own, proxies: [{}, { dnsDomain: 'example.com' }, { dnsDomain: 'bank.svc.cluster.local' }] },
  'localities of entries': {
    objects: [
      entry({
        endpoints: [
          { address: '10.1.0.3', locality: 'r1/z1/s1' },
          { address: '10.1.0.4', locality: 'r2/z3' },
        ],
      }),
      rule({ outlierDetection: { consecutive5xxErrors: 3 } }, 'x.example'),
    ],
    proxies: ['r1/z1/s1', 'r2/z3'].map((locality) => ({
      locality,
      workload: { name: 'q', namespace: 'shop', address: '10.1.0.88', labels: { app: 'q' } },
    })),
  },
  'dns proxy': {
    settings: mesh('outboundTrafficPolicy: {mode: ALLOW_ANY_DYNAMIC_DNS}'),
    proxies: [stating({ DNS_CAPTURE: true }), stating({ DNS_CAPTURE: true, DNS_PROXY_ADDR: '127.0.0.1:53' }), {}],
  },
  'rule for a node': {
    objects: [
      ...own,
      destinationRule('shop/r', {
        host: HOST,
        workloadSelector: { matchLabels: { 'kubernetes.io/hostname': 'n1' } },
        trafficPolicy: { connectionPool: { tcp: { maxConnections: 1 } } },
      }),
    ],
    proxies: [stating({ NODE_NAME: 'n1' }), stating({ NODE_NAME: 'n2' })],
  },
};
