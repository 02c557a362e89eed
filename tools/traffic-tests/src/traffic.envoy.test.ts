import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { changingCases } from './cases/changing.ts';
import { failingCases } from './cases/failing.ts';
import { type Expected, hostOf, objectsOfCase } from './cases/http-case.ts';
import { matchingCases } from './cases/matching.ts';
import { spreadingCases } from './cases/spreading.ts';
import { externalObjects, streamObjects } from './cases/streams.ts';
import { type HttpAnswer, readTcp, readTls, sendHttp } from './client.ts';
import { startTrafficMesh, type TrafficMesh } from './mesh/traffic-mesh.ts';

/* What routes and policies do to requests, through stock Envoys that one control plane configures from one folder. */

const httpCases = [...matchingCases, ...changingCases, ...failingCases, ...spreadingCases];
const owned = new AsyncDisposableStack();
let mesh: TrafficMesh;

beforeAll(async () => {
  mesh = await startTrafficMesh(
    (upstreams, entrances) => [
      ...httpCases.flatMap((one) => objectsOfCase(one, upstreams, entrances)),
      ...streamObjects(upstreams, entrances),
      ...externalObjects(upstreams, entrances),
    ],
    owned,
  );
}, 60_000);

afterAll(() => owned.disposeAsync());

/** The answer in the shape of what is expected of it. */
function seenOf({ status, headers, text, echoed, ms }: HttpAnswer, expected: Expected): Expected {
  const pick = (from: HttpAnswer['headers'], wanted: Expected['headers'] = {}) =>
    Object.fromEntries(Object.keys(wanted).map((name) => [name, from[name]?.toString()]));
  const { server, path, host } = echoed ?? {};
  return {
    ...{ status, text, server, path, host },
    arrived: pick(echoed?.headers ?? {}, expected.arrived),
    headers: pick(headers, expected.headers),
    // Clocks of timers may be a little early.
    ms: expected.ms !== undefined && ms > expected.ms - 5 ? expected.ms : ms,
  };
}

describe.each(['sidecar', 'gateway'] as const)('HTTP through a %s', (way) => {
  test.each(httpCases)('$name', async ({ id, exchanges = [], check }) => {
    const { upstreams, entrances } = mesh;
    const send = (request = {}) =>
      sendHttp(way === 'sidecar' ? entrances.http : entrances.gateway, { host: hostOf(id), ...request });
    for (const [request, expected] of exchanges) {
      expect(seenOf(await send(request), expected)).toEqual(expect.objectContaining(expected));
    }
    await check?.({ send, upstreams, mark: `${way}-${id}` });
  });
});

describe('beyond HTTP', () => {
  test('TCP goes to the subset of its route', async () => {
    const names = await Promise.all(Array.from({ length: 6 }, () => readTcp(mesh.entrances.tcp)));
    expect(new Set(names)).toEqual(new Set(['v2']));
  });

  test.each([
    ['a.example.com', 'v1'],
    ['b.example.com', 'v3'],
  ])('TLS for %s goes to the subset of its route, as it came', async (name, version) => {
    expect(await readTls(mesh.entrances.tls, name)).toBe(`${version} ${name}`);
  });
});

describe('egress', () => {
  test('a host outside of the mesh is reached by its name', async () => {
    const { status, echoed } = await sendHttp(mesh.entrances.http, { host: 'external.test', path: '/x' });
    expect([status, echoed?.server, echoed?.host, echoed?.path]).toEqual([200, 'external', 'external.test', '/x']);
  });

  test('REGISTRY_ONLY: hosts that nobody registered are not reached', async () => {
    const { status, echoed } = await sendHttp(mesh.entrances.http, { host: 'unknown.test' });
    expect([status, echoed]).toEqual([502, undefined]);
    await expect(readTls(mesh.entrances.tls, 'unknown.example.com')).rejects.toThrow();
  });
});

test('no Envoy refused anything', async () => {
  for (const { admin } of mesh.proxies) {
    const refused = await admin.stats('update_rejected$');
    expect([...refused].filter(([, count]) => count > 0)).toEqual([]);
  }
});
