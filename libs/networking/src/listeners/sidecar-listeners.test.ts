import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { PushContext } from '@kedge/pushcontext';
import { networkKey } from './clashes.ts';
import { manifest, manifests, meshPieces, piece, pieceKey } from '../testing/random-mesh.ts';
import { listenersOf, type TestChain, type TestListener } from '../testing/listeners.ts';
import { meshOf, proxyOf, withObjects, withoutObject } from '../testing/mesh.ts';
import { sidecarListenerDiagnostics, sidecarListeners } from './sidecar-listeners.ts';

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
        meshPieces.chain((pieces) =>
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
      fc.property(meshPieces, (pieces) => {
        const push = meshOf(manifests(pieces));
        for (const proxy of proxies)
          for (const listener of Object.values(listenersOf(push, proxy))) expectAcceptable(listener);
      }),
      { numRuns: 50 },
    );
  });

  test('changing and removing objects leads to what there would be without the past', () => {
    fc.assert(
      fc.property(meshPieces, fc.array(fc.tuple(piece, fc.boolean()), { maxLength: 6 }), (start, edits) => {
        const objects = new Map(start.map((piece) => [pieceKey(piece), piece]));
        let push = meshOf(manifests(start));
        for (const [edited, stays] of edits) {
          versions(push);
          const key = pieceKey(edited);
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
