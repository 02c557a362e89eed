import fc from 'fast-check';

/* Few of everything, so that objects meet. */

export const ROOT_NAMESPACE = 'istio-system';

export const namespace = fc.constantFrom('shop', 'bank', ROOT_NAMESPACE);

/** Names of services of Kubernetes, and of most other objects. */
export const objectName = fc.constantFrom('a', 'b');

export const HOSTS = [
  'a.shop.svc.cluster.local',
  'b.shop.svc.cluster.local',
  'a.bank.svc.cluster.local',
  'x.example',
  'y.x.example',
  '*.x.example',
] as const;

/** Issuers of tokens; the keys of the second have to be fetched. */
export const ISSUERS = ['issuer-a', 'https://issuer-b.example'] as const;

export const host = fc.constantFrom(...HOSTS);

/** As objects may write a host: in full, short, or in other case. */
export const writtenHost = fc.oneof(
  { weight: 8, arbitrary: host },
  { weight: 3, arbitrary: objectName },
  { weight: 1, arbitrary: fc.constantFrom('X.example', 'b.bank.svc.cluster.local') },
);

const LABELS = [
  ['app', 'a'],
  ['app', 'b'],
  ['version', '1'],
  ['istio', 'gateway'],
] as const;

/** At least one label. */
export const labels = fc
  .subarray([...LABELS], { minLength: 1, maxLength: 2 })
  .map((chosen): Readonly<Record<string, string>> => Object.fromEntries(chosen));

/** Fewer labels, so that something is selected. */
export const selector = fc.constantFrom(...LABELS).map(([key, value]) => ({ [key]: value }));

export const subset = fc.constantFrom('v1', 'v2');

/** Addresses that pods, slices, entries and proxies have. */
export const ADDRESSES = ['10.1.0.1', '10.1.0.2', '10.1.0.3', '172.16.0.1'] as const;

export const address = fc.constantFrom(...ADDRESSES);

export const network = fc.constantFrom('net-a', 'net-b');

export const LOCALITIES = ['r1/z1/s1', 'r1/z2', 'r2/z3'] as const;

export const locality = fc.constantFrom(...LOCALITIES);

export const exportTo = fc.constantFrom(['*'], ['.'], ['bank'], ['bank', 'istio-system']);

/** Ports of services: name, number, and the protocol that entries and gateways write. */
export const PORTS = [
  { name: 'http', number: 80, protocol: 'HTTP' },
  { name: 'http-alt', number: 8080, protocol: 'HTTP' },
  { name: 'grpc', number: 80, protocol: 'GRPC' },
  { name: 'tls', number: 443, protocol: 'TLS' },
  { name: 'https', number: 443, protocol: 'HTTPS' },
  { name: 'tcp', number: 9000, protocol: 'TCP' },
  { name: 'mongo', number: 9000, protocol: 'MONGO' },
  { name: 'auto', number: 8080, protocol: '' },
] as const;

/** Some ports, each name and each number once. */
export const ports = fc
  .uniqueArray(fc.constantFrom(...PORTS), { minLength: 1, maxLength: 3, selector: ({ number }) => number })
  .map((chosen) => chosen.toSorted((a, b) => a.number - b.number));

export const portNumber = fc.constantFrom(80, 443, 8080, 9000);

/** Fields each of which may be there or not. */
export function someOf<T extends object>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<object> {
  return fc.record(fields, { requiredKeys: [] });
}

/** Some fields over others that are always there. */
export function withSome(
  always: fc.Arbitrary<object>,
  fields: Readonly<Record<string, fc.Arbitrary<unknown>>>,
): fc.Arbitrary<object> {
  return fc.tuple(always, someOf(fields)).map(([base, more]) => ({ ...base, ...more }));
}

/** Picks few of the fields: for messages with so many that half of them would be a lot. */
export function fewOf(fields: Readonly<Record<string, fc.Arbitrary<unknown>>>, minLength = 0): fc.Arbitrary<object> {
  return fc
    .subarray(Object.keys(fields), { minLength, maxLength: 2 })
    .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, fields[name] ?? fc.constant(null)]))));
}
