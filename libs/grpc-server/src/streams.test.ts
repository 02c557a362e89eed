import { status as codes } from '@grpc/grpc-js';
import { describe, expect, jest, test } from '@jest/globals';
import { connect } from 'node:http2';
import { Status } from './status.ts';
import type { ServerStream, ServiceMethods } from './service.ts';
import { bytes, startServer, text, until } from './test-support.ts';

jest.setTimeout(30_000);

const echo: ServiceMethods = {
  Echo: { kind: 'bidi', handle: (stream) => stream.receive((message) => void stream.write(Buffer.from(message))) },
};

/** A method that hands its streams to the test. */
function capture(): { readonly streams: ServerStream[]; readonly methods: ServiceMethods } {
  const streams: ServerStream[] = [];
  return { streams, methods: { Open: { kind: 'bidi', handle: (stream) => void streams.push(stream) } } };
}

test('thousands of messages each way stay in order', async () => {
  await using server = await startServer(echo);
  const stream = server.connect().bidi('Echo');
  const sent = Array.from({ length: 10_000 }, (_, i) => `message ${i} ${'x'.repeat(i % 300)}`);
  stream.send(...sent.map(bytes)).call.end();
  expect((await stream.status).code).toBe(codes.OK);
  expect(stream.received.map(text)).toEqual(sent);
});

test('a message of several chunks arrives as one; 8 MB each way', async () => {
  const size = 8_000_000;
  const { streams, methods } = capture();
  await using server = await startServer(methods, { maxReceiveBytes: size });
  const client = server.connect({ 'grpc.max_send_message_length': -1 }).bidi('Open');
  await until(() => streams.length === 1);
  const received = new Promise<Uint8Array>((resolve) =>
    streams[0]!.receive((message) => resolve(Buffer.from(message))),
  );
  const request = Buffer.alloc(size, 'request');
  client.send(request);
  expect(request.equals(await received)).toBe(true);
  const response = Buffer.alloc(size, 'response');
  streams[0]!.write(
    response.subarray(0, 3),
    new Uint8Array(0),
    response.subarray(3, 5_000_000),
    response.subarray(5_000_000),
  );
  streams[0]!.write();
  await client.count(2);
  expect(response.equals(client.received[0]!)).toBe(true);
  expect(client.received[1]).toHaveLength(0);
});

test('1,000 calls at a time on one connection', async () => {
  let connections = 0;
  await using server = await startServer(echo, { observer: { connectionOpened: () => connections++ } });
  const client = server.connect();
  const streams = Array.from({ length: 1000 }, (_, i) => client.bidi('Echo').send(bytes(String(i))));
  await Promise.all(streams.map((stream) => stream.count(1)));
  expect(streams.map(({ received }) => text(received[0]!))).toEqual(streams.map((_, i) => String(i)));
  for (const stream of streams) stream.call.end();
  expect(new Set((await Promise.all(streams.map(({ status }) => status))).map(({ code }) => code))).toEqual(
    new Set([0]),
  );
  expect(connections).toBe(1);
});

test('a server that ends early while the client still sends gives its status', async () => {
  await using server = await startServer({
    First: {
      kind: 'bidi',
      handle: (stream) => stream.receive(() => stream.end({ code: Status.ABORTED, message: 'enough' })),
    },
  });
  const stream = server.connect().bidi('First');
  const timer = setInterval(() => stream.send(Buffer.alloc(50_000)), 1);
  expect(await stream.status).toMatchObject({ code: codes.ABORTED, details: 'enough' });
  clearInterval(timer);
});

describe('flow control', () => {
  test('windows of one byte carry messages both ways', async () => {
    await using server = await startServer(echo, { initialWindowBytes: 1 });
    const session = connect(`http://${server.address}`, { settings: { initialWindowSize: 1 } });
    const stream = session.request({
      ':method': 'POST',
      ':path': '/test.Test/Echo',
      'content-type': 'application/grpc',
    });
    const message = Buffer.concat([Buffer.from([0, 0, 0, 0, 200]), Buffer.alloc(200, 'w')]);
    stream.end(message);
    const received: Buffer[] = [];
    for await (const chunk of stream) received.push(chunk as Buffer);
    expect(Buffer.concat(received).equals(message)).toBe(true);
    session.close();
  });

  test('a client that reads nothing: write says so, no byte beyond the window leaves, others are served', async () => {
    const { streams, methods } = capture();
    await using server = await startServer({ ...methods, ...echo });
    const session = connect(`http://${server.address}`);
    const stuck = session.request({
      ':method': 'POST',
      ':path': '/test.Test/Open',
      'content-type': 'application/grpc',
    });
    stuck.pause();
    await until(() => streams.length === 1);
    const [stream] = streams;
    const message = new Uint8Array(100_000);
    const before = process.memoryUsage().arrayBuffers;
    let drained = 0;
    stream!.onDrain(() => drained++);
    while (stream!.write(message));
    for (let i = 0; i < 1000; i++) stream!.write(message);
    // 100 MB are queued by reference: the memory is that of one message and of the window which the client grants.
    await until(() => stuck.readableLength > 60_000);
    expect(stream!.buffered).toBeGreaterThan(99_000_000);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2_000_000);
    expect(drained).toBe(0);

    const other = server.connect().bidi('Echo').send(bytes('hello'));
    await other.count(1);
    stuck.resume();
    await until(() => drained === 1);
    expect(stream!.buffered).toBe(0);
    expect(stream!.write(bytes('more'))).toBe(true);
    session.destroy();
    await until(() => stream!.signal.aborted);
  });

  test('ending a stuck call by force frees what it holds', async () => {
    const { streams, methods } = capture();
    await using server = await startServer(methods);
    const session = connect(`http://${server.address}`);
    const headers = { ':method': 'POST', ':path': '/test.Test/Open', 'content-type': 'application/grpc' };
    const stuck = session.request({ ...headers, 'grpc-timeout': '100m' });
    stuck.on('error', () => undefined).pause();
    await until(() => streams.length === 1);
    streams[0]!.write(new Uint8Array(1_000_000));
    await until(() => streams[0]!.signal.aborted);
    expect(streams[0]!.signal.reason).toMatchObject({ code: Status.DEADLINE_EXCEEDED });
    await until(() => streams[0]!.buffered === 0);
    session.close();
  });

  test('a paused call takes no message, holds its client back, and delays no other call of the connection', async () => {
    const { streams, methods } = capture();
    await using server = await startServer({ ...methods, ...echo }, { initialWindowBytes: 65_535 });
    const client = server.connect();
    const paused = client.bidi('Open');
    await until(() => streams.length === 1);
    const [stream] = streams;
    const taken: number[] = [];
    stream!.receive((message) => {
      taken.push(message[0]!);
      if (taken.length === 2) stream!.pause();
    });
    // More than stream and connection windows together.
    const count = 200;
    for (let i = 0; i < count; i++) paused.send(Buffer.alloc(20_000, i));
    paused.call.end();
    await until(() => taken.length === 2);
    const others = Array.from({ length: 20 }, () => client.bidi('Echo').send(Buffer.alloc(60_000)));
    await Promise.all(others.map((other) => other.count(1)));
    expect(taken).toEqual([0, 1]);
    stream!.resume();
    expect((await paused.status).code).toBe(codes.OK);
    expect(taken).toEqual(Array.from({ length: count }, (_, i) => i));
  });

  test('pausing and resuming within a message keeps the order', async () => {
    const { streams, methods } = capture();
    await using server = await startServer(methods);
    const client = server.connect().bidi('Open');
    await until(() => streams.length === 1);
    const taken: string[] = [];
    streams[0]!.pause();
    streams[0]!.receive((message) => {
      taken.push(text(message));
      streams[0]!.pause();
      if (taken.length % 2 === 0) streams[0]!.resume();
      else setImmediate(() => streams[0]!.resume());
    });
    const sent = Array.from({ length: 100 }, (_, i) => String(i));
    client.send(...sent.map(bytes)).call.end();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(taken).toEqual([]);
    streams[0]!.resume();
    expect((await client.status).code).toBe(codes.OK);
    expect(taken).toEqual(sent);
  });
});

test('half-close is told once, after the last message, and leaves the way back open', async () => {
  const { streams, methods } = capture();
  await using server = await startServer(methods);
  const client = server.connect().bidi('Open').send(bytes('a'), bytes('b'));
  client.call.end();
  await until(() => streams.length === 1);
  const [stream] = streams;
  const seen: string[] = [];
  stream!.receive(
    (message) => {
      seen.push(text(message));
      stream!.pause();
      setImmediate(() => stream!.resume());
    },
    () => seen.push('half-closed'),
  );
  await until(() => seen.length === 3);
  stream!.pause();
  stream!.resume();
  stream!.write(bytes('late'));
  await client.count(1);
  expect(seen).toEqual(['a', 'b', 'half-closed']);
  stream!.end();
  expect((await client.status).code).toBe(codes.OK);
});

test('what a listener throws ends its call, not the server', async () => {
  await using server = await startServer({
    ...echo,
    Throw: {
      kind: 'bidi',
      handle: (stream) =>
        stream.receive(() => {
          throw new Error('in a listener');
        }),
    },
  });
  const client = server.connect();
  expect((await client.bidi('Throw').send(bytes('x')).status).code).toBe(codes.UNKNOWN);
  await client.bidi('Echo').send(bytes('x')).count(1);
});
