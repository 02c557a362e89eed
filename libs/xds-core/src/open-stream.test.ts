import { encode } from '@kedge/envoy-api';
import { GrpcError, Status } from '@kedge/grpc-server';
import { describe, expect, test } from '@jest/globals';
import { Answer } from './answer.ts';
import { GeneratorRegistry } from './generator-registry.ts';
import type { ConnectResult } from './options.ts';
import { Harness } from './testing/harness.ts';
import { resource, type TestClient, testGenerators } from './testing/mesh.ts';
import { TypeUrl } from './type-urls.ts';

const { cluster } = TypeUrl;
const mesh = { [cluster]: { a: '1' } };
const accepted = (node: string): ConnectResult<TestClient> => ({
  kind: 'accepted',
  client: { node },
  nodeType: 'sidecar',
});

describe.each(['delta', 'sotw'] as const)('%s', (protocol) => {
  test('the node comes with the first request only', () => {
    const nodes: (string | undefined)[] = [];
    const harness = new Harness(mesh, {
      connect: (node) => {
        nodes.push(node.id);
        return accepted(node.id ?? '');
      },
    });
    const client = harness.open(protocol);
    client.subscribe(cluster);
    client.subscribe(TypeUrl.listener);
    client.ackAll();
    expect(nodes).toEqual(['sidecar~10.0.0.1~a.default~default.svc.cluster.local']);
  });

  test('a first request without node ends the stream', () => {
    const stream = new Harness(mesh).stream(protocol);
    stream.send(encode('envoy.service.discovery.v3.DiscoveryRequest', { typeUrl: cluster }));
    expect(stream.status?.code).toBe(Status.INVALID_ARGUMENT);
  });

  test('malformed bytes end that stream, and no other', () => {
    const harness = new Harness(mesh);
    const [broken, fine] = [harness.open(protocol), harness.open(protocol)];
    for (const client of [broken, fine]) client.subscribe(cluster);
    broken.stream.send(Buffer.from([0x0a, 0xff]));
    expect(broken.stream.status).toMatchObject({ code: Status.INVALID_ARGUMENT });
    fine.ackAll();
    harness.edit([cluster, 'a', '2']);
    fine.ackAll();
    expect(fine.contents(cluster)).toEqual({ a: '2' });
    expect(harness.server.clients()).toHaveLength(1);
  });

  test('a rejected client learns why', () => {
    const status = { code: Status.UNAUTHENTICATED, message: 'no token' };
    const harness = new Harness(mesh, { connect: () => ({ kind: 'rejected', status }) });
    const client = harness.open(protocol);
    client.subscribe(cluster);
    expect(client.stream.status).toBe(status);
    expect(harness.of('rejected')).toMatchObject([{ reason: 'no token' }]);
    expect(harness.of('opened')).toEqual([]);
  });

  test('requests wait until authentication is done', async () => {
    let decide: (result: ConnectResult<TestClient>) => void = () => undefined;
    const decision = new Promise<ConnectResult<TestClient>>((resolve) => (decide = resolve));
    const harness = new Harness(mesh, { connect: () => decision });
    const client = harness.open(protocol);
    client.subscribe(cluster);
    client.subscribe(TypeUrl.listener);
    expect(client.waiting).toBe(0);
    decide(accepted('n'));
    await decision;
    await new Promise(setImmediate);
    expect(client.ackAll().map(({ typeUrl }) => typeUrl)).toEqual([cluster, TypeUrl.listener]);
  });

  test.each([
    ['a status', new GrpcError(Status.PERMISSION_DENIED, 'not you'), Status.PERMISSION_DENIED],
    ['something unexpected', new Error('a bug'), Status.UNKNOWN],
  ])('authentication that fails with %s ends the stream', async (_, error, code) => {
    for (const connect of [() => Promise.reject(error), () => fail(error)]) {
      const client = new Harness(mesh, { connect }).open(protocol);
      client.subscribe(cluster);
      await new Promise(setImmediate);
      expect(client.stream.status?.code).toBe(code);
    }
  });

  test('a client that hangs up is forgotten, at whatever stage', () => {
    const gone: TestClient[] = [];
    const harness = new Harness(mesh, { disconnected: (client) => void gone.push(client) });
    const client = harness.open(protocol);
    client.subscribe(cluster);
    harness.server.configUpdate({ edits: [[cluster, 'a', '2']] });
    client.stream.hangUp();
    harness.stream(protocol).hangUp();
    harness.clock.advance(100);
    expect(harness.server.clients()).toEqual([]);
    expect(gone).toHaveLength(1);
    expect(harness.of('closed')).toMatchObject([{ reason: 'cancelled' }]);
    expect(harness.clock.timers).toBe(0);
  });

  test('a server that is not ready, or ends, turns streams away', () => {
    let ready = false;
    const harness = new Harness(mesh, { ready: () => ready });
    expect(harness.stream(protocol).status?.code).toBe(Status.UNAVAILABLE);
    ready = true;
    const client = harness.open(protocol);
    client.subscribe(cluster);
    harness.edit([cluster, 'a', '2']);
    harness.server[Symbol.dispose]();
    expect(client.stream.status?.code).toBe(Status.UNAVAILABLE);
    expect(harness.stream(protocol).status?.code).toBe(Status.UNAVAILABLE);
    expect(harness.clock.timers).toBe(0);
  });

  test('a connection that is to close ends its stream', () => {
    const client = new Harness(mesh).open(protocol);
    client.subscribe(cluster);
    client.stream.drain();
    expect(client.stream.status?.code).toBe(Status.UNAVAILABLE);
  });

  test('a type that is answered once begins no watch', () => {
    const generators = testGenerators();
    let version = 0;
    const generate = () => new Answer([resource(cluster, 'status', `${(version += 1)}`)]);
    generators.register('event', { oneShot: true, generate });
    const harness = new Harness(mesh, { generators });
    const client = harness.open(protocol);
    client.subscribe('istio.io/debug/syncz');
    expect(client.ackAll()).toMatchObject([{ resources: new Map([['status', '1']]) }]);
    harness.edit([cluster, 'a', '2']);
    expect(client.waiting).toBe(0);
  });

  test('what a client reports is no subscription', () => {
    const reports: (string | undefined)[] = [];
    const report = (_: TestClient, message: string | undefined) => void reports.push(message);
    const harness = new Harness(mesh, { reports: new Map([['istio.v1.HealthInformation', report]]) });
    const client = harness.open(protocol);
    client.subscribe('istio.v1.HealthInformation');
    expect(client.waiting).toBe(0);
    expect(reports).toEqual([undefined]);
  });
});

test('a generator from outside answers clients by the GENERATOR of their metadata', () => {
  const generators = new GeneratorRegistry([...Object.values(TypeUrl)].map((typeUrl) => [typeUrl, nothing] as const));
  generators.register(`mine/${cluster}`, { generate: () => new Answer([resource(cluster, 'custom', '1')]) });
  const harness = new Harness(mesh, {
    generators,
    connect: () => ({ kind: 'accepted', client: { node: 'n' }, nodeType: 'sidecar', generator: 'mine' }),
  });
  const client = harness.open('delta');
  client.subscribe(cluster);
  client.ackAll();
  expect(client.contents(cluster)).toEqual({ custom: '1' });
});

const nothing = { generate: () => Answer.empty };

function fail(error: Error): never {
  throw error;
}
