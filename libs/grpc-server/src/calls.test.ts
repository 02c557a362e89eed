import { Metadata, compressionAlgorithms, status as codes } from '@grpc/grpc-js';
import { describe, expect, jest, test } from '@jest/globals';
import { binaryValues } from './metadata.ts';
import { GrpcError, Status } from './status.ts';
import type { ServerStream, ServiceMethods } from './service.ts';
import { bytes, failure, startServer, text, until } from './test-support.ts';

jest.setTimeout(30_000);

const never = new Promise<never>(() => undefined);

const methods: ServiceMethods = {
  Echo: { kind: 'unary', handle: (request) => request },
  Throw: {
    kind: 'unary',
    handle: async (request) => {
      if (text(request) === 'foreign') throw new Error('password=hunter2');
      throw new GrpcError(Status.FAILED_PRECONDITION, 'Überlauf: 100 % – 日本\n🦀', {
        details: bytes('details'),
        trailers: { 'x-trailer': 'yes', 'x-bin': new Uint8Array([0, 255]) },
      });
    },
  },
  Count: {
    kind: 'serverStream',
    handle: (request, stream) => {
      for (let i = 0; i < Number(text(request)); i++) stream.write(bytes(String(i)));
      stream.end({ code: Status.OK, trailers: { total: text(request) } });
    },
  },
};

describe('unary', () => {
  test('a request is answered', async () => {
    await using server = await startServer(methods);
    const client = server.connect();
    expect(text(await client.unary('Echo', bytes('hello')))).toBe('hello');
    expect(await client.unary('Echo', new Uint8Array(0))).toHaveLength(0);
  });

  test('a GrpcError arrives with text, details and trailers', async () => {
    await using server = await startServer(methods);
    const error = await failure(server.connect().unary('Throw', bytes('')));
    expect(error).toMatchObject({ code: codes.FAILED_PRECONDITION, details: 'Überlauf: 100 % – 日本\n🦀' });
    expect(error.metadata.get('grpc-status-details-bin')).toEqual([Buffer.from('details')]);
    expect(error.metadata.get('x-trailer')).toEqual(['yes']);
    expect(error.metadata.get('x-bin')).toEqual([Buffer.from([0, 255])]);
  });

  test('any other error is UNKNOWN for the client and told to the observer in full', async () => {
    const failures: unknown[] = [];
    await using server = await startServer(methods, { observer: { handlerFailed: (...args) => failures.push(args) } });
    const error = await failure(server.connect().unary('Throw', bytes('foreign')));
    expect(error).toMatchObject({ code: codes.UNKNOWN, details: 'the handler of this method failed' });
    expect(failures).toEqual([['/test.Test/Throw', expect.objectContaining({ message: 'password=hunter2' })]]);
  });

  test.each(['/test.Test/None', '/other.Service/Echo'])('%s is UNIMPLEMENTED', async (path) => {
    await using server = await startServer(methods);
    expect(await failure(server.connect().unary(path, bytes('')))).toMatchObject({ code: codes.UNIMPLEMENTED });
  });

  test('more or less than one request is UNIMPLEMENTED', async () => {
    await using server = await startServer(methods);
    const client = server.connect();
    const none = client.bidi('Echo');
    none.call.end();
    expect((await none.status).code).toBe(codes.UNIMPLEMENTED);
    const two = client.bidi('Echo').send(bytes('a'), bytes('b'));
    expect((await two.status).code).toBe(codes.UNIMPLEMENTED);
  });

  test('a service can be added while listening, but only once', async () => {
    await using server = await startServer(methods);
    server.server.addService('later.Service', methods);
    expect(text(await server.connect().unary('/later.Service/Echo', bytes('x')))).toBe('x');
    expect(() => server.server.addService('later.Service', {})).toThrow('already registered');
    expect(server.server.services).toEqual(['test.Test', 'later.Service']);
  });
});

test('server streaming: messages in order, then trailers', async () => {
  await using server = await startServer(methods);
  const stream = server.connect().bidi('Count').send(bytes('1000'));
  stream.call.end();
  const { code, metadata } = await stream.status;
  expect(code).toBe(codes.OK);
  expect(metadata.get('total')).toEqual(['1000']);
  expect(stream.received.map(text)).toEqual(Array.from({ length: 1000 }, (_, i) => String(i)));
});

test('metadata of both directions, binary too', async () => {
  const seen: unknown[] = [];
  await using server = await startServer({
    Meta: {
      kind: 'bidi',
      handle: (stream) => {
        seen.push(
          stream.metadata.get('x-text'),
          binaryValues(stream.metadata, 'x-bin').map(Buffer.from),
          stream.method,
        );
        stream.sendHeaders({ 'x-early': 'yes', 'y-bin': new Uint8Array([1, 2]) });
        stream.receive(() => undefined);
      },
    },
  });
  const metadata = new Metadata();
  metadata.add('x-text', 'a');
  metadata.add('x-text', 'b');
  metadata.add('x-bin', Buffer.from([0, 1, 254]));
  const stream = server.connect().bidi('Meta', metadata);
  const headers = await new Promise<Metadata>((resolve) => stream.call.on('metadata', resolve));
  expect(seen).toEqual(['a, b', [Buffer.from([0, 1, 254])], '/test.Test/Meta']);
  expect(headers.get('x-early')).toEqual(['yes']);
  expect(headers.get('y-bin')).toEqual([Buffer.from([1, 2])]);
  stream.call.end();
  expect((await stream.status).code).toBe(codes.OK);
});

describe('malformed metadata of a handler', () => {
  test('in headers is its own error', async () => {
    await using server = await startServer({
      Bad: { kind: 'bidi', handle: (stream) => stream.sendHeaders({ 'not a token': 'x' }) },
    });
    expect((await server.connect().bidi('Bad').status).code).toBe(codes.UNKNOWN);
  });

  test.each([true, false])('in trailers resets the call and nothing else (after a message: %s)', async (message) => {
    await using server = await startServer({
      ...methods,
      Bad: {
        kind: 'bidi',
        handle: (stream) => {
          if (message) stream.write(bytes('x'));
          stream.end({ code: Status.OK, trailers: { 'not a token': 'x' } });
        },
      },
    });
    const client = server.connect();
    expect((await client.bidi('Bad').status).code).toBe(codes.INTERNAL);
    expect(text(await client.unary('Echo', bytes('still here')))).toBe('still here');
  });
});

describe('deadlines and cancellation', () => {
  test('the server ends a call whose deadline has passed, also where the handler does nothing', async () => {
    let reason: unknown;
    await using server = await startServer({
      Hang: {
        kind: 'unary',
        handle: (_, call) => {
          call.signal.addEventListener('abort', () => (reason = call.signal.reason));
          return never;
        },
      },
    });
    const metadata = new Metadata();
    metadata.set('grpc-timeout', '50m'); // As a header of our own, so that only the server keeps the time.
    const error = await failure(server.connect().unary('Hang', bytes(''), metadata));
    expect(error).toMatchObject({ code: codes.DEADLINE_EXCEEDED, details: 'the deadline of the call has passed' });
    expect(reason).toMatchObject({ code: Status.DEADLINE_EXCEEDED });
  });

  test('handlers see the deadline', async () => {
    let deadline: number | undefined;
    await using server = await startServer({
      When: {
        kind: 'unary',
        handle: (request, call) => {
          deadline = call.deadline;
          return request;
        },
      },
    });
    await server.connect().unary('When', bytes(''), undefined, { deadline: Date.now() + 60_000 });
    expect(Math.abs(deadline! - Date.now() - 60_000)).toBeLessThan(5000);
  });

  test('a cancelled call aborts its signal', async () => {
    let stream: ServerStream | undefined;
    const ended: number[] = [];
    await using server = await startServer(
      {
        Hang: {
          kind: 'bidi',
          handle: (call) => {
            stream = call;
            // Clients on Node half-close a call before they reset it.
            call.receive(
              () => undefined,
              () => undefined,
            );
          },
        },
      },
      { observer: { callEnded: ({ status }) => ended.push(status.code) } },
    );
    const call = server.connect().bidi('Hang');
    await until(() => stream !== undefined);
    expect(stream?.signal.aborted).toBe(false);
    call.call.cancel();
    await until(() => stream?.signal.aborted === true);
    expect(stream?.signal.reason).toMatchObject({ code: Status.CANCELLED });
    expect(ended).toEqual([Status.CANCELLED]);
    expect(stream?.write(bytes('late'))).toBe(false);
    stream?.end();
    expect(ended).toHaveLength(1);
  });

  test('the signal of a call that has ended is aborted, also where it is read only then', async () => {
    let stream: ServerStream | undefined;
    await using server = await startServer({
      End: {
        kind: 'bidi',
        handle: (call) => {
          stream = call;
          call.end({ code: Status.NOT_FOUND, message: 'gone' });
        },
      },
    });
    expect((await server.connect().bidi('End').status).code).toBe(codes.NOT_FOUND);
    expect(stream?.signal.reason).toMatchObject({ code: Status.NOT_FOUND, message: 'gone' });
  });
});

describe('compression', () => {
  const gzip = { 'grpc.default_compression_algorithm': compressionAlgorithms.gzip };

  test('gzip from the client is read', async () => {
    await using server = await startServer(methods);
    const request = Buffer.alloc(1_000_000, 'kedge');
    expect(request.equals(await server.connect(gzip).unary('Echo', request))).toBe(true);
  });

  test('the limit holds for the decompressed size', async () => {
    await using server = await startServer(methods, { maxReceiveBytes: 10_000 });
    const error = await failure(server.connect(gzip).unary('Echo', Buffer.alloc(1_000_000)));
    expect(error.code).toBe(codes.RESOURCE_EXHAUSTED);
  });

  test('another encoding is UNIMPLEMENTED and the known ones are named', async () => {
    await using server = await startServer(methods);
    const client = server.connect({ 'grpc.default_compression_algorithm': compressionAlgorithms.deflate });
    const error = await failure(client.unary('Echo', bytes('x')));
    expect(error.code).toBe(codes.UNIMPLEMENTED);
    expect(error.metadata.get('grpc-accept-encoding')).toEqual(['identity,gzip']);
  });
});

test('a request above the limit is RESOURCE_EXHAUSTED, one of exactly the limit passes', async () => {
  await using server = await startServer(methods, { maxReceiveBytes: 1000 });
  const client = server.connect();
  expect(await client.unary('Echo', Buffer.alloc(1000))).toHaveLength(1000);
  expect(await failure(client.unary('Echo', Buffer.alloc(1001)))).toMatchObject({ code: codes.RESOURCE_EXHAUSTED });
});
