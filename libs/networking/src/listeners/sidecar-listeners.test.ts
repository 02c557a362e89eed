import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { PushContext } from '@kedge/pushcontext';
import { networkKey } from './clashes.ts';
import { listenersOf, type TestChain, type TestListener } from '../testing/listeners.ts';
import { meshOf, proxyOf, withObjects, withoutObject } from '../testing/mesh.ts';
import { sidecarListenerDiagnostics, sidecarListeners } from './sidecar-listeners.ts';

/* Random meshes of few names, ports and addresses, so that objects collide. */

interface Piece {
  readonly kind: 'Service' | 'ServiceEntry' | 'VirtualService' | 'PeerAuthentication';
  readonly name: string;
  readonly namespace: string;
  readonly spec: string;
}

const manifest = ({ kind, name, namespace, spec }: Piece): string => {
  const apiVersion = {
    Service: 'v1',
    ServiceEntry: 'networking.istio.io/v1',
    VirtualService: 'networking.istio.io/v1',
    PeerAuthentication: 'security.istio.io/v1',
  }[kind];
  return `\napiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: ${name}, namespace: ${namespace}}\nspec: ${spec}\n---`;
};

const manifests = (pieces: readonly Piece[]): string => pieces.map(manifest).join('');

const oneOf = <T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const name = oneOf('a', 'b', 'c');
const namespace = oneOf('shop', 'other');
const port = oneOf(80, 443, 3000);
const host = oneOf('a.shop.svc.cluster.local', 'b.other.svc.cluster.local', 'x.example', '*.example', 'y.example');
const range = oneOf('10.0.0.0/8', '10.5.5.5/8', '10.1.0.0/16', '10.1.0.1');

const service = fc
  .record({
    name,
    namespace,
    port,
    address: oneOf('10.1.0.1', '10.1.0.2', 'None'),
    portName: oneOf('http', 'tcp', 'tls', 'data', 'mongo'),
  })
  .map(({ name, namespace, port, address, portName }): Piece => ({
    kind: 'Service',
    name,
    namespace,
    spec: `{clusterIP: "${address}", selector: {app: ${name}}, ports: [{name: ${portName}, port: ${port}, targetPort: 8080, protocol: TCP}]}`,
  }));

const serviceEntry = fc
  .record({
    name,
    namespace,
    port,
    host: oneOf('x.example', '*.example', 'y.example'),
    addresses: oneOf('', 'addresses: [10.1.0.0/16, 10.1.0.1], ', 'addresses: [10.1.0.2], '),
    protocol: oneOf('HTTP', 'TCP', 'TLS', 'MYSQL'),
    resolution: oneOf('NONE', 'STATIC'),
  })
  .map(({ name, namespace, port, host, addresses, protocol, resolution }): Piece => ({
    kind: 'ServiceEntry',
    name,
    namespace,
    spec: `{hosts: ["${host}"], ${addresses}location: MESH_EXTERNAL, resolution: ${resolution}, ports: [{number: ${port}, name: p, protocol: ${protocol}}]}`,
  }));

const tcpMatch = oneOf('', 'match: [{port: 80}], ').chain((fixed) =>
  fixed === ''
    ? fc
        .tuple(range, range)
        .map(([a, b]) => `match: [{destinationSubnets: ["${a}"]}, {destinationSubnets: ["${b}"]}], `)
    : fc.constant(fixed),
);
const tlsMatch = fc
  .tuple(host, host, range)
  .map(
    ([a, b, r]) =>
      `match: [{sniHosts: ["${a}"]}, {sniHosts: ["${a}", "${b}"], destinationSubnets: ["${r}"]}, {sniHosts: ["${b}", "${a}"]}], `,
  );

const virtualService = fc
  .record({ name, namespace, host, to: host, tcp: tcpMatch, tls: tlsMatch })
  .map(({ name, namespace, host, to, tcp, tls }): Piece => {
    const route = `route: [{destination: {host: "${to}"}, weight: 1}, {destination: {host: "${host}"}, weight: 2}]`;
    return {
      kind: 'VirtualService',
      name,
      namespace,
      spec: `{hosts: ["${host}"], tcp: [{${tcp}${route}}], tls: [{${tls}${route}}]}`,
    };
  });

const peerAuthentication = fc
  .record({
    name,
    namespace,
    mode: oneOf('STRICT', 'DISABLE', 'PERMISSIVE'),
    portMode: oneOf('STRICT', 'DISABLE', 'UNSET'),
    selects: fc.boolean(),
  })
  .map(({ name, namespace, mode, portMode, selects }): Piece => ({
    kind: 'PeerAuthentication',
    name,
    namespace,
    spec: selects
      ? `{selector: {matchLabels: {app: a}}, mtls: {mode: ${mode}}, portLevelMtls: {8080: {mode: ${portMode}}, 99: {mode: STRICT}}}`
      : `{mtls: {mode: ${mode}}}`,
  }));

const piece = fc.oneof(service, service, serviceEntry, virtualService, peerAuthentication);
const mesh = fc.uniqueArray(piece, {
  maxLength: 14,
  selector: ({ kind, namespace, name }) => `${kind}/${namespace}/${name}`,
});

const proxies = [
  proxyOf('a', { metadata: { LABELS: { app: 'a' } } }),
  proxyOf('b', { namespace: 'other', address: '10.0.0.2', metadata: { LABELS: { app: 'b' } } }),
  proxyOf('none', { address: '10.0.0.3', metadata: { LABELS: { app: 'a' }, INTERCEPTION_MODE: 'NONE' } }),
];

const versions = (push: PushContext): readonly (readonly string[])[] =>
  proxies.map((proxy) => push.evaluate(proxy, sidecarListeners).map(({ name, version }) => `${name} ${version}`));

/** What Envoy compares: no two chains may have an entry in common. */
function entries({ filterChainMatch = {} }: TestChain): readonly string[] {
  const match = filterChainMatch as {
    destinationPort?: number;
    prefixRanges?: readonly { addressPrefix: string; prefixLen: number }[];
    serverNames?: readonly string[];
    transportProtocol?: string;
    applicationProtocols?: readonly string[];
  };
  const orAny = <T>(values: readonly T[] | undefined): readonly (T | undefined)[] =>
    values?.length ? values : [undefined];
  return orAny(match.prefixRanges).flatMap((range) =>
    orAny(match.serverNames).flatMap((serverName) =>
      orAny(match.applicationProtocols).map((protocol) =>
        JSON.stringify([
          match.destinationPort,
          range && networkKey(`${range.addressPrefix}/${range.prefixLen}`),
          serverName,
          match.transportProtocol,
          protocol,
        ]),
      ),
    ),
  );
}

function expectAcceptable(listener: TestListener): void {
  const all = listener.filterChains.flatMap(entries);
  expect(all).toEqual([...new Set(all)]);
  expect(listener.filterChains.length).toBeGreaterThan(0);
}

describe('listeners of random meshes', () => {
  test('the order of objects does not matter', () => {
    fc.assert(
      fc.property(
        mesh.chain((pieces) =>
          fc.tuple(fc.constant(pieces), fc.shuffledSubarray(pieces, { minLength: pieces.length })),
        ),
        ([pieces, shuffled]) => {
          const onebyone = shuffled.reduce((push, piece) => withObjects(push, manifest(piece)), meshOf(''));
          expect(versions(onebyone)).toEqual(versions(meshOf(manifests(pieces))));
        },
      ),
      { numRuns: 30 },
    );
  });

  test('Envoy finds no two chains that match alike', () => {
    fc.assert(
      fc.property(mesh, (pieces) => {
        const push = meshOf(manifests(pieces));
        for (const proxy of proxies)
          for (const listener of Object.values(listenersOf(push, proxy))) expectAcceptable(listener);
      }),
      { numRuns: 50 },
    );
  });

  test('changing and removing objects leads to what there would be without the past', () => {
    fc.assert(
      fc.property(mesh, fc.array(fc.tuple(piece, fc.boolean()), { maxLength: 6 }), (start, edits) => {
        const objects = new Map(start.map((piece) => [`${piece.kind}/${piece.namespace}/${piece.name}`, piece]));
        let push = meshOf(manifests(start));
        for (const [edited, stays] of edits) {
          versions(push);
          const key = `${edited.kind}/${edited.namespace}/${edited.name}`;
          if (stays) objects.set(key, edited);
          else objects.delete(key);
          push = stays ? withObjects(push, manifest(edited)) : withoutObject(push, edited);
        }
        expect(versions(push)).toEqual(versions(meshOf(manifests([...objects.values()]))));
      }),
      { numRuns: 30 },
    );
  });
});

const bytes = (address: string, name: string): string =>
  manifest({
    kind: 'Service',
    namespace: 'shop',
    name,
    spec: `{clusterIP: ${address}, clusterIPs: [${address}], selector: {app: ${name}}, ports: [{name: tcp, port: 1, protocol: TCP}]}`,
  });
const [first, second] = proxies;

test('a change makes anew only the listener that it concerns', () => {
  const push = meshOf(bytes('10.1.0.1', 'a') + bytes('10.1.0.2', 'b') + bytes('10.1.0.3', 'c'));
  if (!first) throw new Error('no proxy');
  push.evaluate(first, sidecarListeners);
  const count = (): number => push.memo.computeCounts.get('outboundListener') ?? 0;
  const before = count();
  const next = withObjects(push, bytes('10.1.0.9', 'b'));
  const names = next.evaluate(first, sidecarListeners).map(({ name }) => name);
  expect(names).toContain('10.1.0.9_1');
  expect(count() - before).toBe(1);
});

test('proxies of different namespaces share what is the same for them', () => {
  const push = meshOf(bytes('10.1.0.1', 'a'));
  if (!first || !second) throw new Error('no proxies');
  const of = (proxy: typeof first) => push.evaluate(proxy, sidecarListeners).find(({ name }) => name === '10.1.0.1_1');
  expect(of(first)).toBeDefined();
  expect(of(first)).toBe(of(second));
});

test('who asks for a name twice is told, and everybody else is served', () => {
  const push = meshOf(
    manifests([
      {
        kind: 'ServiceEntry',
        namespace: 'shop',
        name: 'x',
        spec: '{hosts: [x.example], location: MESH_EXTERNAL, resolution: NONE, ports: [{number: 443, name: tls, protocol: TLS}]}',
      },
      {
        kind: 'VirtualService',
        namespace: 'shop',
        name: 'v',
        spec: '{hosts: [x.example], tls: [{match: [{sniHosts: [x.example]}, {sniHosts: [x.example, y.example]}], route: [{destination: {host: x.example}}]}]}',
      },
    ]),
  );
  if (!first) throw new Error('no proxy');
  const chains = listenersOf(push, first)['0.0.0.0_443']?.filterChains.map(({ filterChainMatch }) => filterChainMatch);
  expect(chains).toEqual([{ serverNames: ['x.example'] }, { serverNames: ['y.example'] }]);
  expect(push.evaluate(first, sidecarListenerDiagnostics)).toMatchObject([
    { kind: 'VirtualService', namespace: 'shop', name: 'v', code: 'taken-filter-chain-match' },
  ]);
});
