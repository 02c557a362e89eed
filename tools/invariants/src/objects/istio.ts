import fc from 'fast-check';
import { type Manifest, manifests } from './manifest.ts';
import {
  address,
  exportTo,
  fewOf,
  host,
  HOSTS,
  labels,
  locality,
  network,
  objectName,
  portNumber,
  ports,
  ROOT_NAMESPACE,
  selector,
  someOf,
  withSome,
  writtenHost,
} from './names.ts';
import { envoyFilter } from './envoy-filter.ts';
import { connectionPool, trafficPolicy } from './traffic-policy.ts';
import { virtualService } from './virtual-service.ts';

const NETWORKING = 'networking.istio.io/v1';

const workload = fewOf({
  labels,
  ports: fc.constantFrom({ http: 8080 }, { tcp: 9001 }),
  network,
  locality,
  weight: fc.constantFrom(0, 5),
  serviceAccount: objectName,
});

/** Several hosts must be told apart by the protocol of the port. */
const entryHosts = fc.oneof(
  fc.record({
    hosts: host.map((only) => [only]),
    ports: ports.map((chosen) =>
      chosen.map(({ name, number, protocol }) => ({ name, number, protocol: protocol || 'HTTP' })),
    ),
  }),
  fc.record({
    hosts: fc.uniqueArray(host, { minLength: 2, maxLength: 2 }),
    ports: fc.subarray([{ name: 'http', number: 80, protocol: 'HTTP' }, { name: 'tls', number: 443, protocol: 'TLS' }], { minLength: 1 }), // prettier-ignore
  }),
);

const endpoint = (addresses: fc.Arbitrary<string>): fc.Arbitrary<object> =>
  fc.tuple(addresses, workload).map(([ip, more]) => ({ address: ip, ...more }));

const endpoints = (addresses: fc.Arbitrary<string>): fc.Arbitrary<object> =>
  fc.array(endpoint(addresses), { minLength: 1, maxLength: 2 }).map((list) => ({ endpoints: list }));

/** What goes with each resolution. */
const resolved = fc.oneof(
  { weight: 3, arbitrary: endpoints(address).map((more) => ({ resolution: 'STATIC', ...more })) },
  { weight: 2, arbitrary: selector.map((chosen) => ({ resolution: 'STATIC', workloadSelector: { labels: chosen } })) },
  { weight: 2, arbitrary: fc.constant({ resolution: 'NONE' }) },
  { weight: 2, arbitrary: fc.constantFrom('DNS', 'DNS_ROUND_ROBIN').map((resolution) => ({ resolution })) },
  { weight: 1, arbitrary: endpoints(fc.constantFrom('far.example', 'near.example')).map((more) => ({ resolution: 'DNS', ...more })) }, // prettier-ignore
  {
    weight: 1,
    arbitrary: fc.constant({ resolution: 'DYNAMIC_DNS', hosts: ['*.x.example'], location: 'MESH_EXTERNAL' }),
  },
);

const serviceEntry = manifests(
  NETWORKING,
  'ServiceEntry',
  fc
    .tuple(
      entryHosts,
      someOf({
        addresses: fc.constantFrom(['10.97.0.1'], ['10.97.0.0/24'], ['10.96.0.1']),
        location: fc.constantFrom('MESH_INTERNAL', 'MESH_EXTERNAL'),
        exportTo,
        subjectAltNames: fc.constant(['spiffe://td/ns/shop/sa/a']),
      }),
      resolved,
    )
    .map(([always, more, resolution]) => ({ ...always, ...more, ...resolution })),
  { metadata: someOf({ labels }) },
).chain(
  (object) =>
  fc.constantFrom(undefined, '240.240.0.9').map((value) => (value === undefined ? object : { ...object, status: { addresses: [{ value, host: 'x.example' }] } })), // prettier-ignore
);

const workloadEntry = manifests(NETWORKING, 'WorkloadEntry', endpoint(address), { metadata: someOf({ labels }) });

const ruleHost = fc.oneof(
  { weight: 5, arbitrary: writtenHost },
  { weight: 1, arbitrary: fc.constant('*.shop.svc.cluster.local') },
);

const subsets = fc.tuple(labels, labels, fc.option(trafficPolicy, { nil: undefined })).map(([one, two, policy]) => [
  { name: 'v1', labels: one, ...(policy && { trafficPolicy: policy }) },
  { name: 'v2', labels: two },
]);

const rule = withSome(fc.record({ host: ruleHost }), { trafficPolicy, subsets });

const destinationRule = manifests(
  NETWORKING,
  'DestinationRule',
  fc.oneof(
    { weight: 3, arbitrary: withSome(rule, { exportTo }) },
    { weight: 1, arbitrary: fc.tuple(rule, selector).map(([spec, matchLabels]) => ({ ...spec, workloadSelector: { matchLabels } })) }, // prettier-ignore
  ),
);

const egressHost = fc.constantFrom('./*', '*/*', 'bank/*', 'shop/a.shop.svc.cluster.local', '*/x.example', '*/*.x.example', 'istio-system/*', '~/*'); // prettier-ignore

/** At most one listener a port; the one without a port comes last. */
const egress = fc
  .uniqueArray(
    fc.record({
      hosts: fc.uniqueArray(egressHost, { minLength: 1, maxLength: 2 }),
      port: fc.option(portNumber, { nil: undefined }),
    }),
    { minLength: 1, maxLength: 2, selector: ({ port }) => port },
  )
  .map((listeners) =>
    listeners
      .toSorted((a, b) => (a.port ?? Infinity) - (b.port ?? Infinity))
      .map(({ hosts, port: number }) => ({
        hosts,
        ...(number && { port: { number, protocol: number === 80 ? 'HTTP' : 'TCP', name: `egress-${number}` } }),
      })),
  );

const ingress = fc.uniqueArray(
  fc
    .tuple(portNumber, fc.constantFrom('HTTP', 'TCP'), fc.option(connectionPool, { nil: undefined }))
    .map(([number, protocol, pool]) => ({
      port: { number, protocol, name: `in-${number}` },
      defaultEndpoint: '127.0.0.1:9999',
      ...(pool && { connectionPool: pool }),
    })),
  { minLength: 1, maxLength: 2, selector: ({ port: { number } }) => number },
);

const sidecar = manifests(
  NETWORKING,
  'Sidecar',
  someOf({
    workloadSelector: selector.map((chosen) => ({ labels: chosen })),
    egress,
    ingress,
    outboundTrafficPolicy: fc.constantFrom({ mode: 'REGISTRY_ONLY' }, { mode: 'ALLOW_ANY' }, { mode: 'ALLOW_ANY', egressProxy: { host: 'a.shop.svc.cluster.local', port: { number: 80 } } }), // prettier-ignore
    inboundConnectionPool: connectionPool,
  }),
);

const credentialName = fc.constantFrom('cred-a', 'cred-b');

const server = fc
  .tuple(
    fc.oneof(
      someOf({ tls: fc.constant({ httpsRedirect: true }) }).map((more) => ({ port: { number: 80, name: 'http', protocol: 'HTTP' }, ...more })), // prettier-ignore
      fc.tuple(credentialName, fc.constantFrom('SIMPLE', 'MUTUAL', 'OPTIONAL_MUTUAL')).map(([name, mode]) => ({
        port: { number: 443, name: 'https', protocol: 'HTTPS' },
        tls: { mode, credentialName: name },
      })),
      fc.constantFrom('PASSTHROUGH', 'AUTO_PASSTHROUGH').map((mode) => ({
        port: { number: 443, name: 'tls', protocol: 'TLS' },
        tls: { mode },
      })),
      fc.constant({ port: { number: 443, name: 'tls-ended', protocol: 'TLS' }, tls: { mode: 'ISTIO_MUTUAL' } }),
      fc.constant({ port: { number: 9000, name: 'tcp', protocol: 'TCP' } }),
    ),
    fc.uniqueArray(fc.constantFrom('*', 'shop/*', './x.example', ...HOSTS), { minLength: 1, maxLength: 2 }),
  )
  .map(([base, hosts]) => ({ ...base, hosts }));

const gateway = manifests(
  NETWORKING,
  'Gateway',
  fc.record({
    selector: fc.constantFrom({ istio: 'gateway' }, { istio: 'gateway' }, { istio: 'gateway', app: 'a' }),
    servers: fc
      .uniqueArray(server, { minLength: 1, maxLength: 3, selector: ({ port: { name } }) => name })
      .map((servers) =>
        servers.map((each, at) => ({ ...each, port: { ...each.port, name: `${each.port.name}-${at}` } })),
      ),
  }),
  { name: fc.constantFrom('gw-a', 'gw-b'), namespace: fc.constantFrom('shop', ROOT_NAMESPACE) },
);

export const istioObjects: Readonly<Record<string, fc.Arbitrary<Manifest>>> = {
  ServiceEntry: serviceEntry,
  WorkloadEntry: workloadEntry,
  VirtualService: virtualService,
  DestinationRule: destinationRule,
  Sidecar: sidecar,
  Gateway: gateway,
  EnvoyFilter: envoyFilter,
};
