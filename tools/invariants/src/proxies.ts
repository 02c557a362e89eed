import { parseProxy, type Proxy } from '@kedge/model';
import fc from 'fast-check';
import { ADDRESSES, LOCALITIES, ROOT_NAMESPACE, fewOf } from './objects/names.ts';

interface Workload {
  readonly type?: 'sidecar' | 'router';
  readonly name: string;
  readonly namespace: string;
  readonly address: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Workloads whose proxies connect: pods of the mesh by their addresses, a machine outside, gateways. */
const workloads: readonly [Workload, ...Workload[]] = [
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

/** Some of the messages that configure its extensions. */
const stockTypes = [
  'envoy.extensions.filters.http.buffer.v3.Buffer',
  'envoy.extensions.filters.http.lua.v3.Lua',
  'envoy.extensions.filters.http.router.v3.Router',
  'envoy.extensions.filters.network.echo.v3.Echo',
  'envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy',
];

const metadata = {
  DNS_CAPTURE: fc.boolean(),
  DNS_AUTO_ALLOCATE: fc.boolean(),
  NETWORK: fc.constantFrom('net-a', 'net-b'),
  REQUESTED_NETWORK_VIEW: fc.constantFrom('net-a', 'net-b'),
  INTERCEPTION_MODE: fc.constantFrom('REDIRECT', 'TPROXY', 'NONE'),
  HTTP10: fc.constant('1'),
  POD_PORTS: fc.constant('[{"name":"web","containerPort":8080,"protocol":"TCP"}]'),
  CLUSTER_ID: fc.constantFrom('Kubernetes', 'other', ''),
  ISTIO_VERSION: fc.constantFrom('1.20.0', '1.32.0'),
  NODE_NAME: fc.constantFrom('n1', 'n2'),
  ENVOY_PROMETHEUS_PORT: fc.constantFrom(15090, 19090),
  UNPRIVILEGED_POD: fc.constant('true'),
  INSTANCE_IPS: fc.constantFrom('10.1.0.1,fd00::1', '10.1.0.2'),
  IDLE_TIMEOUT: fc.constant('7s'),
  HTTP_PROXY_PORT: fc.constant('15080'),
  ROUTER_MODE: fc.constant('sni-dnat'),
  PILOT_SAN: fc.constant('spiffe://td/ns/shop/sa/a'),
  TLS_CLIENT_CERT_CHAIN: fc.constant('/etc/chain.pem'),
  PROXY_CONFIG: fc.constantFrom(
    { proxyHeaders: { attemptCount: { disabled: true } } },
    { proxyHeaders: { xForwardedHost: { enabled: true } }, gatewayTopology: { numTrustedProxies: 1 } },
    { proxyStatsMatcher: {} },
  ),
  LABELS: fc.constantFrom(
    {},
    { app: 'b' },
    { app: 'a', version: '1' },
    { 'topology.istio.io/network': 'net-b' },
    { 'istio-locality': 'r1.z2' },
  ),
  NAMESPACE: fc.constantFrom('shop', 'bank'),
  SERVICE_ACCOUNT: fc.constantFrom('a', 'gateway'),
  OUTBOUND_LISTENER_EXACT_BALANCE: fc.constant('true'),
  INBOUND_LISTENER_EXACT_BALANCE: fc.constant('true'),
  credential: fc.constant('true'),
  'file-credential': fc.constant('true'),
};

/** A node as it introduces itself, before it is read. */
export interface Introduction {
  readonly workload: Workload;
  readonly metadata: object;
  readonly locality: string | undefined;
  readonly stock: boolean;
  /** The DNS suffix that it searches; of its namespace, where absent. */
  readonly dnsDomain: string | undefined;
  /** Whether the connection was authenticated. */
  readonly verified: boolean;
}

const [pod] = workloads;

/** A sidecar as such, in a pod of the mesh. */
export const sidecarAt: Introduction = {
  workload: pod,
  metadata: {},
  locality: undefined,
  stock: false,
  dnsDomain: undefined,
  verified: false,
};

const introduction: { readonly [K in keyof Introduction]: fc.Arbitrary<Introduction[K]> } = {
  workload: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...workloads) },
    { weight: 1, arbitrary: fc.constantFrom(...workloads.filter(({ type }) => type === 'router')) },
  ),
  metadata: fewOf(metadata),
  locality: fc.option(fc.constantFrom(...LOCALITIES), { nil: undefined }),
  stock: fc.boolean(),
  dnsDomain: fc.constantFrom(undefined, undefined, 'bank.svc.cluster.local', 'example.com'),
  verified: fc.boolean(),
};

export function proxyOf({ workload, metadata: more, locality, stock, dnsDomain, verified }: Introduction): Proxy {
  const { type = 'sidecar', name, namespace, address, labels } = workload;
  const [region, zone, subZone] = locality?.split('/') ?? [];
  const parsed = parseProxy({
    id: `${type}~${address}~${name}.${namespace}~${dnsDomain ?? `${namespace}.svc.cluster.local`}`,
    metadata: { NAMESPACE: namespace, CLUSTER_ID: 'Kubernetes', LABELS: labels, SERVICE_ACCOUNT: name, ...more },
    ...(region && { locality: { region, ...(zone && { zone }), ...(subZone && { subZone }) } }),
    extensions: stock ? [...stockExtensions, { typeUrls: stockTypes }] : [],
  });
  if ('problem' in parsed) throw new Error(parsed.problem);
  return { ...parsed.proxy, ...(verified && { identity: { namespace, serviceAccount: name } }) };
}

/** A change of one thing that a node says. */
const difference: fc.Arbitrary<Partial<Introduction>> = fc
  .constantFrom(...(Object.keys(introduction) as (keyof Introduction)[]), 'metadata' as const)
  .chain((key) => (introduction[key] as fc.Arbitrary<unknown>).map((value) => ({ [key]: value })));

/** Proxies that are each like the first save for one thing, or different altogether. */
export const someProxies = (count: number): fc.Arbitrary<readonly Proxy[]> =>
  fc
    .tuple(
      fc.record(introduction),
      fc.array(fc.oneof(difference, fc.record(introduction)), { minLength: count - 1, maxLength: count - 1 }),
    )
    .map(([first, others]) => [first, ...others.map((other) => ({ ...first, ...other }))].map(proxyOf));

/** A value of each of the fields, the others as they are. */
const variants = <T extends object>(fields: { readonly [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<
  readonly Partial<T>[]
> =>
  fc.tuple(
    ...Object.entries(fields).map(([key, values]) =>
      (values as fc.Arbitrary<unknown>).map((value) => ({ [key]: value }) as Partial<T>),
    ),
  );

/** A proxy and its relatives: for each thing that a node may say one that says it, and is like the first in all else. */
export const proxyFamily: fc.Arbitrary<readonly Proxy[]> = fc
  .record({
    first: fc.record({ ...introduction, metadata: fc.constant({}) }),
    others: variants(introduction),
    further: variants<object>(metadata),
  })
  .map(({ first, others, further }) =>
    [
      first,
      ...others.map((other) => ({ ...first, ...other })),
      ...further.map((more) => ({ ...first, metadata: more })),
    ].map(proxyOf),
  );
