import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type ClientDuplexStream, credentials } from '@grpc/grpc-js';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { GrpcError, type ServerStream, Status } from '@kedge/grpc-server';
import { createMetricRegistry } from '@kedge/observability';
import { adsServiceName } from '@kedge/xds-core';
import type { CallerCredentials } from '../identity/credential-files.ts';
import { registerAgentMetrics } from '../metrics.ts';
import { collectingLogger } from '../testing/collecting-logger.ts';
import { MeshAuthority } from '../testing/mesh-authority.ts';
import { XdsProxy } from './xds-proxy.ts';

const raw = (bytes: Buffer): Buffer => bytes;
const methods = ['StreamAggregatedResources', 'DeltaAggregatedResources'] as const;

let dir: string;
let mesh: MeshAuthority;
let proxy: XdsProxy;
let envoy: Client;
let serve: (stream: ServerStream) => void;
let known: () => Promise<CallerCredentials>;
let lines: readonly string[];
const registry = createMetricRegistry();
const metrics = registerAgentMetrics(registry);

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'xds-'));
  const method = { kind: 'bidi', handle: (stream: ServerStream) => serve(stream) } as const;
  mesh = await MeshAuthority.start({ [adsServiceName]: Object.fromEntries(methods.map((name) => [name, method])) });
  known = async () => ({ roots: mesh.authority.roots, token: 'the token' });
  const logged = collectingLogger();
  lines = logged.lines;
  proxy = new XdsProxy({ target: mesh.target, credentials: () => known(), metrics, log: logged.log });
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
  expect(seen!.peer.certificate).toBeUndefined();
  const over = new Promise((resolve) => seen!.signal.addEventListener('abort', resolve));
  stream.cancel();
  await over;
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

test('a control plane that is not the one of the roots is not spoken to', async () => {
  known = async () => ({ token: 'the token' });
  serve = () => expect('it was called').toBe('');
  expect(await ending(open())).toMatchObject({ code: Status.UNAVAILABLE });
  known = () => Promise.reject(new Error('no roots'));
  expect(await ending(open())).toMatchObject({ code: Status.UNAVAILABLE, details: 'no roots' });
  expect(lines.join('')).toContain('no roots');
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
