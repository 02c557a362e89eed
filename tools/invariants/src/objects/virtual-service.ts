import fc from 'fast-check';
import { type Manifest, manifests } from './manifest.ts';
import {
  exportTo,
  fewOf,
  namespace,
  objectName,
  portNumber,
  selector,
  someOf,
  subset,
  withSome,
  writtenHost,
} from './names.ts';

const text = fc.constantFrom('a', 'b');
const stringMatch = fc.oneof(
  text.map((exact) => ({ exact })),
  text.map((prefix) => ({ prefix })),
  text.map((letter) => ({ regex: `${letter}.*` })),
);
const uriMatch = fc.oneof(
  fc.constantFrom('/', '/a', '/a/').map((prefix) => ({ prefix })),
  fc.constantFrom('/a', '/b').map((exact) => ({ exact })),
  fc.constantFrom('/a.*', '/[ab]').map((regex) => ({ regex })),
);
const headerName = fc.constantFrom('x-a', 'x-b');
const headers = fc.dictionary(headerName, fc.oneof(stringMatch, fc.constant({})), { minKeys: 1, maxKeys: 2 });
const gateways = fc.constantFrom(['mesh'], ['gw-a'], ['shop/gw-a', 'mesh'], ['istio-system/gw-a', 'shop/gw-a'], ['istio-system/gw-b', 'mesh']); // prettier-ignore
const percentage = fc.constantFrom({ value: 10 }, { value: 0.5 });

const httpMatch = fewOf({
  uri: uriMatch,
  method: stringMatch,
  authority: stringMatch,
  scheme: stringMatch,
  headers,
  withoutHeaders: headers,
  queryParams: fc.dictionary(text, stringMatch, { minKeys: 1, maxKeys: 1 }),
  port: portNumber,
  sourceLabels: selector,
  sourceNamespace: namespace,
  gateways,
  ignoreUriCase: fc.boolean(),
  name: text,
});

const destination = withSome(fc.record({ host: writtenHost }), {
  subset,
  port: portNumber.map((number) => ({ number })),
});

const headerOperations = fewOf({
  set: fc.dictionary(headerName, text, { minKeys: 1, maxKeys: 1 }),
  add: fc.dictionary(headerName, text, { minKeys: 1, maxKeys: 1 }),
  remove: headerName.map((name) => [name]),
}).map((operations) => ({ request: operations }));

const httpActions = fewOf({
  timeout: fc.constantFrom('3s', '60s'),
  retries: withSome(fc.record({ attempts: fc.constantFrom(0, 2) }), { perTryTimeout: fc.constant('2s'), retryOn: fc.constantFrom('5xx,503', 'reset') }), // prettier-ignore
  rewrite: fc.oneof(
    fc.constant({ uri: '/r' }),
    fc.constant({ authority: 'other.example' }),
    fc.constant({ uriRegexRewrite: { match: '/a(.*)', rewrite: '/b\\1' } }),
  ),
  fault: fc.oneof(
    percentage.map((share) => ({ delay: { fixedDelay: '1s', percentage: share } })),
    percentage.map((share) => ({ abort: { httpStatus: 503, percentage: share } })),
  ),
  mirror: destination,
  mirrors: fc.array(fc.record({ destination, percentage }), { minLength: 1, maxLength: 2 }),
  corsPolicy: someOf({
    allowOrigins: fc.array(stringMatch, { minLength: 1, maxLength: 2 }),
    allowMethods: fc.constantFrom(['GET'], ['GET', 'POST']),
    maxAge: fc.constant('60s'),
    allowCredentials: fc.boolean(),
  }),
  headers: headerOperations,
});

const weighted = fc.oneof(
  destination.map((only) => [{ destination: only }]),
  fc.tuple(destination, destination, fc.constantFrom(10, 50)).map(([one, two, weight]) => [
    { destination: one, weight },
    { destination: two, weight: 100 - weight },
  ]),
);

const httpTarget = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(weighted, httpActions).map(([route, actions]) => ({ route, ...actions })) },
  { weight: 1, arbitrary: fc.constantFrom({ redirect: { uri: '/r', redirectCode: 302 } }, { redirect: { authority: 'x.example', scheme: 'https' } }) }, // prettier-ignore
  { weight: 1, arbitrary: fc.constantFrom(200, 404).map((status) => ({ directResponse: { status, body: { string: 'no' } } })) }, // prettier-ignore
);

const delegation = fc
  .record({ name: fc.constantFrom('d-a', 'd-b'), namespace: fc.constantFrom('shop', 'bank') })
  .map((delegate) => ({ delegate }));

const httpRoute = (target: fc.Arbitrary<object>): fc.Arbitrary<object> =>
  withSome(target, { match: fc.array(httpMatch, { minLength: 1, maxLength: 2 }), name: text });

const l4Match = fewOf({
  port: portNumber,
  destinationSubnets: fc.constant(['10.96.0.0/16']),
  sourceLabels: selector,
  sourceNamespace: namespace,
  gateways,
});

const tcpRoute = withSome(fc.record({ route: weighted }), { match: fc.array(l4Match, { minLength: 1, maxLength: 2 }) });

const tlsRoute = (hosts: readonly string[]): fc.Arbitrary<object> =>
  fc
    .tuple(fc.constantFrom(...hosts), l4Match, weighted)
    .map(([sni, match, route]) => ({ match: [{ ...match, sniHosts: [sni] }], route }));

const virtualServiceHosts: fc.Arbitrary<readonly string[]> = fc.oneof(
  { weight: 8, arbitrary: fc.uniqueArray(writtenHost, { minLength: 1, maxLength: 2 }) },
  { weight: 1, arbitrary: fc.constant(['*']) },
);

const root = virtualServiceHosts.chain((hosts) =>
  withSome(
    fc.oneof(
      { weight: 6, arbitrary: fc.array(httpRoute(fc.oneof({ weight: 5, arbitrary: httpTarget }, { weight: 1, arbitrary: delegation })), { minLength: 1, maxLength: 3 }).map((http) => ({ http })) }, // prettier-ignore
      { weight: 1, arbitrary: fc.array(tcpRoute, { minLength: 1, maxLength: 2 }).map((tcp) => ({ tcp })) },
      { weight: 1, arbitrary: fc.array(tlsRoute(hosts), { minLength: 1, maxLength: 2 }).map((tls) => ({ tls })) },
    ),
    { gateways: hosts.includes('*') ? fc.constant(['shop/gw-a', 'istio-system/gw-a']) : gateways, exportTo },
  ).map((spec) => ({ hosts, ...(hosts.includes('*') && { gateways: ['gw-a'] }), ...spec })),
);

const delegate = withSome(fc.record({ http: fc.array(httpRoute(httpTarget), { minLength: 1, maxLength: 2 }) }), {
  exportTo,
});

const kind = ['networking.istio.io/v1', 'VirtualService'] as const;

export const virtualService: fc.Arbitrary<Manifest> = fc.oneof(
  { weight: 5, arbitrary: manifests(...kind, root, { name: fc.oneof(objectName, fc.constant('c')) }) },
  { weight: 1, arbitrary: manifests(...kind, delegate, { name: fc.constantFrom('d-a', 'd-b') }) },
);
