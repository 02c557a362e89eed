import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientDuplexStream, credentials } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type Any, decode, type DiscoveryRequest, type DiscoveryResponse, encode } from '@kedge/envoy-api';
import { GrpcError, type ServerStream, Status } from '@kedge/grpc-server';
import { createMetricRegistry } from '@kedge/observability';
import { until } from '@kedge/testbed';
import { adsServiceName } from '@kedge/xds-core';
import type { CallerCredentials } from '../identity/credential-files.ts';
import { registerAgentMetrics } from '../metrics.ts';
import { collectingLogger } from '../testing/collecting-logger.ts';
import { MeshAuthority } from '../testing/mesh-authority.ts';
import type { Health, HealthSource } from './agent-requests.ts';
import { XdsProxy } from './xds-proxy.ts';

const listeners = 'type.googleapis.com/envoy.config.listener.v3.Listener';
const clusters = 'type.googleapis.com/envoy.config.cluster.v3.Cluster';
const extensions = 'type.googleapis.com/envoy.config.core.v3.TypedExtensionConfig';
const nameTable = 'type.googleapis.com/istio.networking.nds.v1.NameTable';
const healthInformation = 'type.googleapis.com/istio.v1.HealthInformation';

class FakeHealth implements HealthSource {
  current: Health | undefined;
  readonly listeners = new Set<(health: Health) => void>();

  subscribe(listener: (health: Health) => void): Disposable {
    this.listeners.add(listener);
    return { [Symbol.dispose]: () => void this.listeners.delete(listener) };
  }

  tell(health: Health): void {
    this.current = health;
    for (const listener of this.listeners) listener(health);
  }
}

const raw = (bytes: Buffer): Buffer => bytes;
const methods = ['StreamAggregatedResources', 'DeltaAggregatedResources'] as const;

let dir: string;
let mesh: MeshAuthority;
let proxy: XdsProxy;
let envoy: Client;
let serve: (stream: ServerStream) => void;
let known: () => Promise<CallerCredentials>;
let lines: readonly string[];
let accepted: Any[];
let refuse: Error | undefined;
let health: FakeHealth;
const registry = createMetricRegistry();
const metrics = registerAgentMetrics(registry);

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'xds-'));
  const method = { kind: 'bidi', handle: (stream: ServerStream) => serve(stream) } as const;
  mesh = await MeshAuthority.start({ [adsServiceName]: Object.fromEntries(methods.map((name) => [name, method])) });
  known = async () => ({ roots: mesh.authority.roots, token: 'the token' });
  const logged = collectingLogger();
  lines = logged.lines;
  accepted = [];
  refuse = undefined;
  health = new FakeHealth();
  proxy = new XdsProxy({
    target: { ...mesh.target, headers: { 'x-project': 'blue' } },
    credentials: () => known(),
    watches: [
      {
        typeUrl: nameTable,
        accept: (resource) => {
          if (refuse) throw refuse;
          accepted.push(resource);
        },
      },
    ],
    health,
    convertExtension: async (resource) => {
      await sleep(20);
      return { ...resource, name: 'converted' };
    },
    metrics,
    log: logged.log,
  });
  await proxy.listen(join(dir, 'XDS'));
  envoy = new Client(`unix:${join(dir, 'XDS')}`, credentials.createInsecure(), {
    'grpc.max_receive_message_length': -1,
  });
});
afterEach(async () => {
  envoy.close();
  await proxy[Symbol.asyncDispose]();
  await mesh[Symbol.asyncDispose]();
  await rm(dir, { recursive: true });
});

function open(method: (typeof methods)[number] = 'DeltaAggregatedResources'): ClientDuplexStream<Buffer, Buffer> {
  const stream = envoy.makeBidiStreamRequest(`/${adsServiceName}/${method}`, raw, raw);
  stream.on('error', () => undefined);
  return stream;
}

const answer = (stream: ClientDuplexStream<Buffer, Buffer>): Promise<Buffer> =>
  new Promise((resolve) => stream.once('data', resolve));
const ending = (stream: ClientDuplexStream<Buffer, Buffer>): Promise<{ code: number; details: string }> =>
  new Promise((resolve) => stream.once('status', resolve));
const echo = (stream: ServerStream): void => stream.receive((message) => void stream.write(Buffer.from(message)));

test.each(methods)('%s is passed on in both directions, with the token and the cluster', async (method) => {
  let seen: ServerStream | undefined;
  serve = (stream) => {
    seen = stream;
    echo(stream);
  };
  const stream = open(method);
  for (const text of ['one', 'two']) {
    stream.write(Buffer.from(text));
    expect((await answer(stream)).toString()).toBe(text);
  }
  expect(seen!.metadata.get('authorization')).toBe('Bearer the token');
  expect(seen!.metadata.get('clusterid')).toBe('east');
  expect(seen!.metadata.get('x-project')).toBe('blue');
  expect(seen!.peer.certificate).toBeUndefined();
  const over = new Promise((resolve) => seen!.signal.addEventListener('abort', resolve));
  stream.cancel();
  await over;
});

test.each([
  ['a token that is none', { token: 'no\ntoken' }, /illegal characters/],
  ['a certificate that is none', { certificate: { key: 'garbage', chain: 'garbage' } }, /PEM/],
])('with %s it cannot call, says so, and tries again with what is there then', async (_, broken, problem) => {
  serve = echo;
  const usable = known;
  known = async () => ({ ...(await usable()), ...broken });
  const stream = open();
  stream.write(Buffer.from('one'));
  await until('the problem', () => problem.test(lines.join('')));
  known = usable;
  expect((await answer(stream)).toString()).toBe('one');
  stream.cancel();
});

test('it presents the certificate that there is', async () => {
  const certificate = await mesh.authority.issueKey(['spiffe://cluster.local/ns/shop/sa/web'], 60_000);
  known = async () => ({ roots: mesh.authority.roots, certificate });
  const names: (string | undefined)[] = [];
  serve = (stream) => {
    names.push(stream.peer.certificate?.subjectAltName);
    echo(stream);
  };
  const stream = open();
  stream.write(Buffer.from('x'));
  await answer(stream);
  expect(names).toEqual(['URI:spiffe://cluster.local/ns/shop/sa/web']);
  stream.cancel();
});

test("the control plane's status comes through, and the next stream is served", async () => {
  serve = (stream) => stream.fail(new GrpcError(Status.PERMISSION_DENIED, 'you are not web'));
  expect(await ending(open())).toMatchObject({ code: Status.PERMISSION_DENIED, details: 'you are not web' });
  serve = (stream) => stream.end();
  expect(await ending(open())).toMatchObject({ code: Status.UNAVAILABLE });
  serve = echo;
  const stream = open();
  stream.write(Buffer.from('again'));
  expect((await answer(stream)).toString()).toBe('again');
  stream.cancel();
});

test('a control plane that is not the one of the roots is not spoken to; the right one is found by the same stream', async () => {
  const called: string[] = [];
  serve = (stream) => {
    called.push(stream.method);
    echo(stream);
  };
  known = async () => ({ token: 'the token' });
  const stream = open();
  stream.write(Buffer.from('one'));
  await until('a refusal', () => lines.some((line) => /certificate|unable to verify/.test(line)));
  known = () => Promise.reject(new Error('no roots'));
  await until('the reason', () => lines.some((line) => line.includes('no roots')));
  expect(called).toEqual([]);
  known = async () => ({ roots: mesh.authority.roots, token: 'the token' });
  expect((await answer(stream)).toString()).toBe('one');
  expect(await registry.text()).toMatch(/istio_agent_istiod_connection_failures [2-9]/);
  stream.cancel();
});

test('what was asked before there was an answer is asked again, once and in order', async () => {
  const received: string[] = [];
  let streams = 0;
  serve = (stream) => {
    streams += 1;
    if (streams === 1) {
      stream.receive(() => stream.fail(new GrpcError(Status.UNAVAILABLE, 'not yet')));
      return;
    }
    stream.receive((message) => {
      received.push(Buffer.from(message).toString());
      if (received.length === 2) stream.write(Buffer.from('both'));
    });
  };
  const stream = open();
  stream.write(Buffer.from('one'));
  stream.write(Buffer.from('two'));
  expect((await answer(stream)).toString()).toBe('both');
  stream.write(Buffer.from('three'));
  await until('the third', () => received.length === 3);
  expect(received).toEqual(['one', 'two', 'three']);
  stream.cancel();
});

test('after an answer, the end of the control plane is that of Envoy, who alone knows what it holds', async () => {
  serve = (stream) =>
    stream.receive((message) => {
      stream.write(Buffer.from(message));
      stream.fail(new GrpcError(Status.UNAVAILABLE, 'going away'));
    });
  const stream = open();
  const ended = ending(stream);
  stream.on('data', () => undefined);
  stream.write(Buffer.from('one'));
  expect(await ended).toMatchObject({ code: Status.UNAVAILABLE, details: 'going away' });
});

test('an Envoy that leaves while the control plane is away is not held', async () => {
  known = () => Promise.reject(new Error('away'));
  const stream = open();
  stream.write(Buffer.from('one'));
  await until('a failure', () => lines.some((line) => line.includes('away')));
  stream.cancel();
  const before = lines.length;
  await sleep(1200);
  expect(lines.length - before).toBeLessThanOrEqual(1);
});

test('a slow Envoy holds the control plane back, and gets all of it in the end', async () => {
  const messages = 400;
  let written = 0;
  serve = (stream) => {
    const more = (): void => {
      while (written < messages) {
        written += 1;
        if (!stream.write(Buffer.alloc(256 * 1024, written))) return;
      }
      stream.end();
    };
    stream.onDrain(more);
    more();
  };
  const stream = open();
  const ended = new Promise((resolve) => stream.once('end', resolve));
  let received = 0;
  stream.on('data', () => (received += 1));
  stream.once('data', () => stream.pause());
  stream.write(Buffer.from('x'));
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect(written).toBeLessThan(messages / 2);
  stream.resume();
  await ended;
  expect(received).toBe(messages);
});

describe.each([
  ['StreamAggregatedResources', 'DiscoveryRequest', 'DiscoveryResponse'],
  ['DeltaAggregatedResources', 'DeltaDiscoveryRequest', 'DeltaDiscoveryResponse'],
] as const)('%s: the part of the agent', (method, requestName, responseName) => {
  const api = 'envoy.service.discovery.v3';
  const isDelta = method === 'DeltaAggregatedResources';
  let requests: DiscoveryRequest[];
  let controlPlane: ServerStream;
  beforeEach(() => {
    requests = [];
    serve = (stream) => {
      controlPlane = stream;
      stream.receive((message) => requests.push(decode(`${api}.${requestName}`, message)));
    };
  });

  const asked = () =>
    requests.map(({ typeUrl, responseNonce = '', errorDetail }) =>
      [typeUrl?.split('.').at(-1), responseNonce, errorDetail?.message].filter(Boolean).join(' '),
    );
  const request = (typeUrl: string): Buffer => Buffer.from(encode(`${api}.${requestName}`, { typeUrl }));
  const push = (typeUrl: string, nonce: string, ...resources: readonly Any[]): void => {
    const entries = isDelta ? resources.map((resource) => ({ name: 'x', version: '1', resource })) : resources;
    const message = { typeUrl, nonce, resources: entries } as DiscoveryResponse;
    controlPlane.write(Buffer.from(encode(`${api}.${responseName}`, message)));
  };
  const table = (ip: string): Any => ({ '@type': nameTable, table: { a: { ips: [ip] } } });

  test('names are asked for after listeners, kept from Envoy, and acknowledged or refused', async () => {
    const stream = open(method);
    stream.write(request(clusters));
    await until('clusters', () => requests.length === 1);
    stream.write(request(listeners));
    await until('names', () => requests.length === 3);
    expect(asked()).toEqual(['Cluster', 'Listener', 'NameTable']);
    push(nameTable, 'n1', table('10.0.0.1'));
    await until('an acknowledgement', () => requests.length === 4);
    refuse = new Error('no such table');
    push(nameTable, 'n2', table('10.0.0.2'));
    await until('a refusal', () => requests.length === 5);
    expect(asked().slice(3)).toEqual(['NameTable n1', 'NameTable n2 no such table']);
    expect(accepted).toEqual([table('10.0.0.1')]);
    push(clusters, 'n3');
    const passed = decode(`${api}.${responseName}`, await answer(stream));
    expect(passed).toMatchObject({ typeUrl: clusters, nonce: 'n3' });
    stream.cancel();
  });

  test('health is told when it is known, and on each new stream', async () => {
    const stream = open(method);
    stream.write(request(listeners));
    await until('names', () => requests.length === 2);
    health.tell({ kind: 'unhealthy', reason: 'unwell' });
    health.tell({ kind: 'healthy' });
    await until('both', () => requests.length === 4);
    expect(asked().slice(2)).toEqual(['HealthInformation unwell', 'HealthInformation']);
    stream.cancel();
    await until('nobody listens', () => health.listeners.size === 0);
    requests = [];
    const next = open(method);
    next.write(request(listeners));
    await until('health again', () => asked().includes('HealthInformation'));
    next.cancel();
  });

  test('extensions are converted in order, and hold up no others', async () => {
    const stream = open(method);
    stream.write(request(listeners));
    await until('the stream', () => requests.length > 0);
    const extension = { '@type': extensions, name: 'remote' };
    push(extensions, 'e1', extension);
    push(extensions, 'e2', extension);
    push(clusters, 'c1');
    const nonces: (string | undefined)[] = [];
    const texts: string[] = [];
    stream.on('data', (message: Buffer) => {
      const decoded = decode(`${api}.${responseName}`, message);
      nonces.push(decoded.nonce);
      texts.push(JSON.stringify(decoded.resources ?? []));
    });
    await until('all', () => nonces.length === 3);
    expect(nonces).toEqual(['c1', 'e1', 'e2']);
    expect(texts[1]).toContain('converted');
    stream.cancel();
  });
});

test('what Envoy never sees: answers about health', async () => {
  serve = (stream) =>
    stream.receive(() => {
      const of = (typeUrl: string) =>
        Buffer.from(encode('envoy.service.discovery.v3.DeltaDiscoveryResponse', { typeUrl, nonce: 'n' }));
      stream.write(of(healthInformation));
      stream.write(of(clusters));
    });
  const stream = open();
  stream.write(Buffer.from('x'));
  const first = decode('envoy.service.discovery.v3.DeltaDiscoveryResponse', await answer(stream));
  expect(first.typeUrl).toBe(clusters);
  stream.cancel();
});
