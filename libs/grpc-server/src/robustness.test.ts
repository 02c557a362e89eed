import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { connect as connectHttp2, type ClientHttp2Session, type OutgoingHttpHeaders } from 'node:http2';
import { connect } from 'node:net';
import type { ServiceMethods } from './service.ts';
import { bytes, startServer, text, until, type TestServer } from './test-support.ts';

jest.setTimeout(30_000);

const methods: ServiceMethods = {
  Unary: { kind: 'unary', handle: (request) => request },
  Echo: { kind: 'bidi', handle: (stream) => stream.receive((message) => void stream.write(Buffer.from(message))) },
};
const request = { ':method': 'POST', ':path': '/test.Test/Unary', 'content-type': 'application/grpc', te: 'trailers' };
const message = (body: string): Buffer => Buffer.concat([Buffer.from([0, 0, 0, 0, body.length]), Buffer.from(body)]);

let server: TestServer;
let session: ClientHttp2Session;
beforeAll(async () => {
  server = await startServer(methods, { maxReceiveBytes: 1000, keepalive: { intervalMs: 1000, timeoutMs: 1000 } });
  session = connectHttp2(`http://${server.address}`);
});
afterAll(async () => {
  session.close();
  await server[Symbol.asyncDispose]();
});

async function expectServing(): Promise<void> {
  const client = server.connect();
  expect(text(await client.unary('Unary', bytes('alive')))).toBe('alive');
  client.close();
}

/** The response headers, trailers included, to a request by hand. */
async function exchange(headers: OutgoingHttpHeaders, body: Buffer): Promise<Record<string, unknown>> {
  const stream = session.request({ ...request, ...headers });
  const answer: Record<string, unknown> = {};
  stream.on('response', (response) => Object.assign(answer, response));
  stream.on('trailers', (trailers) => Object.assign(answer, trailers));
  stream.on('error', () => undefined);
  stream.resume();
  if (headers[':method'] === 'GET') stream.end();
  else stream.end(body);
  await new Promise((resolve) => stream.on('close', resolve));
  return answer;
}

describe('requests by hand', () => {
  test.each<[string, OutgoingHttpHeaders, Buffer, Record<string, unknown>]>([
    ['correct', {}, message('x'), { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '0' }],
    ['with a codec', { 'content-type': 'application/grpc+proto' }, message('x'), { 'grpc-status': '0' }],
    ['with parameters', { 'content-type': 'application/grpc;a=b' }, message('x'), { 'grpc-status': '0' }],
    ['JSON', { 'content-type': 'application/json' }, message('x'), { ':status': 415 }],
    ['gRPC-Web', { 'content-type': 'application/grpc-web' }, message('x'), { ':status': 415 }],
    ['without a content type', { 'content-type': undefined }, message('x'), { ':status': 415 }],
    ['GET', { ':method': 'GET' }, message(''), { ':status': 405 }],
    ['an unknown path', { ':path': '/%00/ü' }, message('x'), { ':status': 200, 'grpc-status': '12' }],
    ['a path of Object', { ':path': '/test.Test/constructor' }, message('x'), { 'grpc-status': '12' }],
    ['a malformed time-out', { 'grpc-timeout': 'soon' }, message('x'), { 'grpc-status': '13' }],
    ['no message', {}, Buffer.alloc(0), { 'grpc-status': '12' }],
    ['half a message', {}, message('xyz').subarray(0, 7), { 'grpc-status': '13' }],
    ['half a prefix', {}, Buffer.alloc(3), { 'grpc-status': '13' }],
    ['unknown flags', {}, Buffer.from([9, 0, 0, 0, 0]), { 'grpc-status': '13' }],
    ['an enormous length', {}, Buffer.from([0, 255, 255, 255, 255]), { 'grpc-status': '8' }],
    ['compressed without encoding', {}, Buffer.from([1, 0, 0, 0, 1, 0]), { 'grpc-status': '13' }],
    ['no gzip', { 'grpc-encoding': 'gzip' }, Buffer.from([1, 0, 0, 0, 1, 0]), { 'grpc-status': '13' }],
    ['an encoding that is not used', { 'grpc-encoding': 'zstd' }, message('x'), { 'grpc-status': '0' }],
  ])('%s', async (_, headers, body, expected) => {
    expect(await exchange(headers, body)).toMatchObject(expected);
  });

  test('any body gives a status', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), fc.boolean(), async (body, gzip) => {
        const answer = await exchange(gzip ? { 'grpc-encoding': 'gzip' } : {}, Buffer.from(body));
        expect(answer['grpc-status']).toMatch(/^\d+$/);
      }),
      { numRuns: 200 },
    );
  });
});

describe('raw connections', () => {
  const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);

  /** Sends bytes and hangs up, or resets, after a while. */
  async function throwAt(data: Uint8Array, reset: boolean): Promise<void> {
    const socket = connect(server.listener.port, '127.0.0.1');
    socket.on('error', () => undefined).resume();
    socket.write(data);
    await new Promise((resolve) => setTimeout(resolve, 3));
    if (reset) socket.resetAndDestroy();
    else socket.destroy();
  }

  const frame = fc
    .record({ type: fc.nat(12), flags: fc.nat(255), stream: fc.nat(5), body: fc.uint8Array({ maxLength: 40 }) })
    .map(({ type, flags, stream, body }) =>
      Buffer.concat([Buffer.from([0, 0, body.length, type, flags, 0, 0, 0, stream]), body]),
    );
  const garbage = fc.oneof(
    fc.uint8Array({ maxLength: 500 }),
    fc.uint8Array({ maxLength: 500 }).map((rest) => Buffer.concat([preface, rest])),
    fc.array(frame, { maxLength: 10 }).map((frames) => Buffer.concat([preface, settings, ...frames])),
    fc.constant(Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')),
  );

  test('garbage harms nobody else', async () => {
    await fc.assert(fc.asyncProperty(garbage, fc.boolean(), throwAt), { numRuns: 300 });
    await expectServing();
  });

  test('mutations of a valid conversation harm nobody else', async () => {
    const valid = await record();
    const mutation = fc.array(fc.tuple(fc.nat(valid.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(mutation, fc.nat(valid.length), fc.boolean(), async (changes, length, reset) => {
        const copy = Buffer.from(valid);
        for (const [at, value] of changes) copy[at] = value;
        await throwAt(copy.subarray(0, length), reset);
      }),
      { numRuns: 300 },
    );
    await expectServing();
  });

  /** What a client of node:http2 sends for one call. */
  async function record(): Promise<Buffer> {
    const sent: Buffer[] = [];
    const socket = connect(server.listener.port, '127.0.0.1');
    const write = socket.write.bind(socket);
    const { Duplex } = await import('node:stream');
    const tap = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer, _, done) => {
        sent.push(chunk);
        write(chunk);
        done();
      },
    });
    socket.on('data', (chunk) => tap.push(chunk)).on('close', () => tap.push(null));
    const client = connectHttp2(`http://${server.address}`, { createConnection: () => tap });
    const stream = client.request(request);
    stream.on('response', () => undefined).resume();
    stream.end(message('hello'));
    await new Promise((resolve) => stream.on('close', resolve));
    client.destroy();
    socket.destroy();
    return Buffer.concat(sent);
  }

  test('a thousand connections that come and go leave nothing behind', async () => {
    let open = 0;
    const observer = { connectionOpened: () => open++, connectionClosed: () => open-- };
    await using other = await startServer(methods, { observer });
    for (let round = 0; round < 10; round++) {
      const sockets = Array.from({ length: 100 }, () => connect(other.listener.port, '127.0.0.1'));
      for (const socket of sockets) socket.on('error', () => undefined).write(preface);
      await until(() => open === 100);
      for (const [i, socket] of sockets.entries()) void (i % 2 ? socket.destroy() : socket.resetAndDestroy());
      await until(() => open === 0);
    }
  });
});

test('calls that are reset at once leave nothing behind', async () => {
  let open = 0;
  const observer = { callStarted: () => open++, callEnded: () => open-- };
  await using other = await startServer(methods, { observer });
  for (let round = 0; round < 5; round++) {
    const client = connectHttp2(`http://${other.address}`);
    client.on('error', () => undefined);
    for (let i = 0; i < 100; i++) {
      const stream = client.request({ ...request, ':path': '/test.Test/Echo' });
      stream.on('error', () => undefined).resume();
      stream.write(message('x'));
      setImmediate(() => stream.close(8));
    }
    await new Promise((resolve) => setTimeout(resolve, 30));
    client.destroy();
    await until(() => open === 0);
  }
});
