import { parseProxy, type Proxy } from '@kedge/model';
import fc from 'fast-check';
import { ADDRESSES, LOCALITIES, ROOT_NAMESPACE, someOf } from './objects/names.ts';

interface Workload {
  readonly type?: 'sidecar' | 'router';
  readonly name: string;
  readonly namespace: string;
  readonly address: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Workloads whose proxies connect: pods of the mesh by their addresses, a machine outside, gateways. */
const workloads: readonly Workload[] = [
  { name: 'a', namespace: 'shop', address: ADDRESSES[0], labels: { app: 'a', version: '1' } },
  { name: 'b', namespace: 'shop', address: ADDRESSES[1], labels: { app: 'b' } },
  { name: 'a', namespace: 'bank', address: ADDRESSES[2], labels: { app: 'a' } },
  { name: 'vm', namespace: 'shop', address: ADDRESSES[3], labels: { app: 'b', version: '1' } },
  { name: 'late', namespace: 'bank', address: '10.1.0.99', labels: { app: 'a', version: '1' } },
  { type: 'router', name: 'gateway', namespace: ROOT_NAMESPACE, address: '10.1.0.50', labels: { istio: 'gateway' } },
  { type: 'router', name: 'gateway', namespace: 'shop', address: '10.1.0.51', labels: { istio: 'gateway', app: 'a' } },
];

/** Some of what the real Envoy lists; Istio's own extensions are not among them. */
const stockExtensions = [
  'envoy.filters.network.http_connection_manager',
  'envoy.filters.network.tcp_proxy',
  'envoy.filters.http.router',
  'envoy.filters.http.fault',
  'envoy.filters.http.cors',
  'envoy.filters.http.grpc_stats',
  'envoy.filters.listener.original_dst',
  'envoy.filters.listener.tls_inspector',
  'envoy.filters.listener.http_inspector',
  'envoy.transport_sockets.tls',
  'envoy.access_loggers.file',
].map((name) => ({ name }));

const metadata = someOf({
  DNS_CAPTURE: fc.boolean(),
  DNS_AUTO_ALLOCATE: fc.boolean(),
  NETWORK: fc.constantFrom('net-a', 'net-b'),
  INTERCEPTION_MODE: fc.constantFrom('REDIRECT', 'TPROXY', 'NONE'),
  HTTP10: fc.constant('1'),
  CLUSTER_ID: fc.constantFrom('Kubernetes', 'Kubernetes', 'other'),
  ISTIO_VERSION: fc.constantFrom('1.20.0', '1.32.0'),
  REQUESTED_NETWORK_VIEW: fc.constantFrom('net-a', 'net-b'),
});

/** A proxy of one of the workloads. */
export const anyProxy: fc.Arbitrary<Proxy> = fc
  .record({
    workload: fc.constantFrom(...workloads),
    metadata,
    locality: fc.option(fc.constantFrom(...LOCALITIES), { nil: undefined }),
    stock: fc.boolean(),
  })
  .map(({ workload: { type = 'sidecar', name, namespace, address, labels }, metadata: more, locality, stock }) => {
    const [region, zone, subZone] = locality?.split('/') ?? [];
    const parsed = parseProxy({
      id: `${type}~${address}~${name}.${namespace}~${namespace}.svc.cluster.local`,
      metadata: { NAMESPACE: namespace, CLUSTER_ID: 'Kubernetes', LABELS: labels, SERVICE_ACCOUNT: name, ...more },
      ...(region && { locality: { region, ...(zone && { zone }), ...(subZone && { subZone }) } }),
      extensions: stock ? stockExtensions : [],
    });
    if ('problem' in parsed) throw new Error(parsed.problem);
    return parsed.proxy;
  });

/** Several proxies, of different workloads mostly. */
export const someProxies = (maxLength: number): fc.Arbitrary<readonly Proxy[]> =>
  fc.array(anyProxy, { minLength: maxLength, maxLength });
