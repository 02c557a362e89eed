import { status as codes } from '@grpc/grpc-js';
import { describe, expect, jest, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Status } from './status.ts';
import type { ServerStream, ServiceMethods } from './service.ts';
import { GrpcServer } from './server.ts';
import { TestClient, bytes, failure, startServer, text, until } from './test-support.ts';
import { credentials } from '@grpc/grpc-js';

jest.setTimeout(30_000);

const streams: ServerStream[] = [];
const methods: ServiceMethods = {
  Echo: {
    kind: 'bidi',
    handle: (stream) => {
      streams.push(stream);
      stream.receive((message) => void stream.write(Buffer.from(message)));
    },
  },
  Unary: { kind: 'unary', handle: (request) => request },
};

const preface = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
]);

describe('listeners', () => {
  test('several addresses, a Unix socket and an accepted socket serve the same services', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'grpc-'));
    await using server = await startServer(methods);
    const second = await server.server.listen({ host: '127.0.0.1', port: 0 });
    const path = join(folder, 'socket');
    expect((await server.server.listen({ path })).port).toBe(0);
    const acceptor = createServer((socket) => server.server.attach(socket)).listen(0, '127.0.0.1');
    await until(() => acceptor.listening);
    const attached = (acceptor.address() as { port: number }).port;
    for (const address of [server.address, `127.0.0.1:${second.port}`, `unix:${path}`, `127.0.0.1:${attached}`]) {
      const client = new TestClient(address, credentials.createInsecure(), {});
      expect(text(await client.unary('Unary', bytes(address)))).toBe(address);
      client.close();
    }
    acceptor.close();
    rmSync(folder, { recursive: true });
  });

  test('an address in use is an error', async () => {
    await using server = await startServer(methods);
    await expect(new GrpcServer().listen({ host: '127.0.0.1', port: server.listener.port })).rejects.toThrow(
      'EADDRINUSE',
    );
  });

  test('peers have addresses', async () => {
    const peers: string[] = [];
    await using server = await startServer(methods, {
      observer: { connectionOpened: (peer) => peers.push(peer.address) },
    });
    await server.connect().unary('Unary', bytes(''));
    expect(peers).toEqual([expect.stringMatching(/^127\.0\.0\.1:\d+$/)]);
  });
});

describe('shutdown', () => {
  test('calls may finish, new ones are not taken, then the connection closes', async () => {
    const server = await startServer(methods);
    const client = server.connect();
    const stream = client.bidi('Echo').send(bytes('1'));
    await stream.count(1);
    const call = streams.at(-1)!;
    expect(call.draining.aborted).toBe(false);
    let closed = false;
    const shutdown = server.server.shutdown(60_000).then(() => (closed = true));
    expect(call.draining.aborted).toBe(true);
    await stream.send(bytes('2')).count(2);
    expect((await failure(client.unary('Unary', bytes('')))).code).toBe(codes.UNAVAILABLE);
    expect(closed).toBe(false);
    stream.call.end();
    expect((await stream.status).code).toBe(codes.OK);
    await shutdown;
    await expect(server.server.listen({ host: '127.0.0.1', port: 0 })).rejects.toThrow('shut down');
    client.close();
  });

  test('an idle server is down at once', async () => {
    const server = await startServer(methods);
    const client = server.connect();
    await client.unary('Unary', bytes(''));
    const startedAt = performance.now();
    await server.server.shutdown(60_000);
    expect(performance.now() - startedAt).toBeLessThan(1000);
    client.close();
  });

  test('after the grace, calls end with UNAVAILABLE; a later call of shutdown shortens it', async () => {
    const server = await startServer(methods);
    const client = server.connect();
    const stream = client.bidi('Echo').send(bytes('1'));
    await stream.count(1);
    const shutdown = server.server.shutdown(60_000);
    void server.server.shutdown(50);
    expect(await stream.status).toMatchObject({ code: codes.UNAVAILABLE, details: 'the server goes away' });
    await shutdown;
    client.close();
  });

  test('a client that reads nothing does not hold it up', async () => {
    const server = await startServer(methods);
    const session = connectHttp2(`http://${server.address}`);
    session.on('error', () => undefined);
    const before = streams.length;
    const stuck = session.request({
      ':method': 'POST',
      ':path': '/test.Test/Echo',
      'content-type': 'application/grpc',
    });
    stuck.on('error', () => undefined).pause();
    await until(() => streams.length > before);
    streams.at(-1)!.write(new Uint8Array(10_000_000));
    await server.server.shutdown(50);
    expect(streams.at(-1)!.signal.reason).toMatchObject({ code: Status.UNAVAILABLE });
  });
});

test('a connection of some age is asked to end, and ended after the grace', async () => {
  await using server = await startServer(methods, { maxAgeMs: 100, maxAgeGraceMs: 100 });
  const startedAt = performance.now();
  const stream = server.connect().bidi('Echo').send(bytes('1'));
  await stream.count(1);
  await until(() => streams.at(-1)!.draining.aborted);
  expect(performance.now() - startedAt).toBeGreaterThan(85);
  await stream.send(bytes('2')).count(2);
  expect((await stream.status).code).toBe(codes.UNAVAILABLE);
  // The channel opens another connection for the next call.
  expect(await server.connect().unary('Unary', bytes('x'))).toHaveLength(1);
});

describe('keep-alive', () => {
  const keepalive = { intervalMs: 50, timeoutMs: 100 };
  function closedErrors() {
    const errors: (Error | undefined)[] = [];
    return {
      errors,
      observer: { connectionClosed: (_: unknown, error: Error | undefined) => void errors.push(error) },
    };
  }

  test('a client that answers pings stays, silent as it may be', async () => {
    const { errors, observer } = closedErrors();
    await using server = await startServer(methods, { keepalive, observer });
    const stream = server.connect().bidi('Echo').send(bytes('1'));
    await stream.count(1);
    await new Promise((resolve) => setTimeout(resolve, 500));
    await stream.send(bytes('2')).count(2);
    expect(errors).toEqual([]);
  });

  test.each(['before', 'after'])('a client that falls silent %s its preface is closed', async (when) => {
    const { errors, observer } = closedErrors();
    await using server = await startServer(methods, { keepalive, observer });
    const socket: Socket = connect(server.listener.port, '127.0.0.1');
    socket.on('error', () => undefined).resume();
    if (when === 'after') socket.write(preface);
    await until(() => errors.length === 1);
    expect(errors[0]?.message).toContain('does not answer');
    await until(() => socket.destroyed || socket.readableEnded);
  });

  test('a call of such a client ends', async () => {
    await using server = await startServer(methods, { keepalive });
    // A relay that stops forwarding, as a half-open connection does.
    const relayed: Socket[] = [];
    const relay = createServer((downstream) => {
      const upstream = connect(server.listener.port, '127.0.0.1');
      relayed.push(downstream, upstream);
      for (const socket of [downstream, upstream]) socket.on('error', () => undefined);
      downstream.pipe(upstream).pipe(downstream);
    }).listen(0, '127.0.0.1');
    await until(() => relay.listening);
    const client = new TestClient(
      `127.0.0.1:${(relay.address() as { port: number }).port}`,
      credentials.createInsecure(),
      {},
    );
    await client.bidi('Echo').send(bytes('1')).count(1);
    for (const socket of relayed) socket.unpipe().pause();
    await until(() => streams.at(-1)!.signal.aborted);
    client.close();
    relay.close();
    for (const socket of relayed) socket.destroy();
  });

  test('a server that was busy for long does not blame its clients', async () => {
    const { errors, observer } = closedErrors();
    await using server = await startServer(methods, { keepalive, observer });
    const stream = server.connect().bidi('Echo').send(bytes('1'));
    await stream.count(1);
    await new Promise((resolve) => setTimeout(resolve, 60));
    for (let i = 0; i < 3; i++) {
      const until = performance.now() + 300;
      while (performance.now() < until);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(errors).toEqual([]);
    await stream.send(bytes('2')).count(2);
  });
});
