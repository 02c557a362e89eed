import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer as createHttp2Server, type ServerHttp2Stream } from 'node:http2';
import { fileURLToPath } from 'node:url';
import * as grpc from '@grpc/grpc-js';
import { GrpcServer } from '@kedge/grpc-server';
import { printTable } from './measure.ts';

/**
 * The cost of a gRPC server in the pattern of discovery: it sends messages to many connections, one at a time on each, and
 * every message is acknowledged. The server is a process of its own, whose CPU is measured; the client is a bare one of
 * node:http2 for all.
 */
interface Workload {
  readonly connections: number;
  /** Messages per connection. */
  readonly messages: number;
  readonly messageBytes: number;
}

const workloads: readonly Workload[] = [
  { connections: 100, messages: 2000, messageBytes: 1000 },
  { connections: 100, messages: 100, messageBytes: 100_000 },
  { connections: 100, messages: 3, messageBytes: 4_000_000 },
];

const ackBytes = 200;
const prefixBytes = 5;
const path = '/bench.Bench/Stream';

type Serve = (bodies: ReadonlyMap<number, Buffer>) => Promise<number>;

const servers: Readonly<Record<string, Serve>> = {
  /** No gRPC at all: the same bytes written to the streams of node:http2. */
  'node:http2': async (bodies) => {
    const server = createHttp2Server();
    server.on('stream', (stream: ServerHttp2Stream) => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
      let body: Buffer | undefined;
      stream.on('data', (chunk: Buffer) => {
        body ??= bodies.get(chunk.readUInt32BE(prefixBytes));
        stream.write(body);
      });
      stream.on('end', () => stream.end()).on('error', () => undefined);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as { port: number }).port;
  },
  '@kedge/grpc-server': async (bodies) => {
    const server = new GrpcServer().addService('bench.Bench', {
      Stream: {
        kind: 'bidi',
        handle: (stream) => {
          let chunks: readonly Uint8Array[] | undefined;
          stream.receive((message) => {
            // In two chunks, as a discovery answer is: a part of each connection's own, and shared resources.
            chunks ??= halves(bodies.get(Buffer.from(message).readUInt32BE())!);
            stream.write(...chunks);
          });
        },
      },
    });
    return (await server.listen({ host: '127.0.0.1', port: 0 })).port;
  },
  '@grpc/grpc-js': async (bodies) => {
    const server = new grpc.Server();
    const identity = (bytes: Buffer): Buffer => bytes;
    const method = {
      path,
      requestStream: true,
      responseStream: true,
      requestSerialize: identity,
      requestDeserialize: identity,
      responseSerialize: identity,
      responseDeserialize: identity,
    };
    server.addService(
      { Stream: method },
      {
        Stream: (call: grpc.ServerDuplexStream<Buffer, Buffer>) => {
          let body: Buffer | undefined;
          call.on('data', (message: Buffer) => call.write((body ??= bodies.get(message.readUInt32BE())!)));
          call.on('end', () => call.end()).on('error', () => undefined);
        },
      },
    );
    return new Promise((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) =>
        error ? reject(error) : resolve(port),
      );
    });
  },
};

function halves(body: Buffer): readonly Uint8Array[] {
  return [body.subarray(0, 20), body.subarray(20)];
}

interface Usage {
  readonly cpuMs: number;
  readonly peakMiB: number;
}

/** The process that serves: tells its port, and its usage when it is asked. */
async function serve(name: string): Promise<void> {
  const framed = name === 'node:http2' ? prefixBytes : 0;
  const bodies = new Map(workloads.map(({ messageBytes }) => [messageBytes, Buffer.alloc(messageBytes + framed, 1)]));
  const start = servers[name];
  if (start === undefined) throw new Error(`no server is called ${name}`);
  const port = await start(bodies);
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send!({ cpuMs: (user + system) / 1000, peakMiB: process.resourceUsage().maxRSS / 1024 } satisfies Usage);
  });
  process.send!({ port });
}

async function ask<T>(child: ChildProcess): Promise<T> {
  const answer = once(child, 'message');
  child.send('usage');
  return (await answer)[0] as T;
}

async function run(port: number, { connections, messages, messageBytes }: Workload): Promise<void> {
  const acknowledgement = Buffer.alloc(prefixBytes + ackBytes);
  acknowledgement.writeUInt32BE(ackBytes, 1);
  acknowledgement.writeUInt32BE(messageBytes, prefixBytes);
  const wanted = messages * (messageBytes + prefixBytes);
  const oneConnection = async (): Promise<void> => {
    const session = connect(`http://127.0.0.1:${port}`, { settings: { initialWindowSize: 1 << 20 } });
    session.on('connect', () => session.setLocalWindowSize(1 << 20));
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    let received = 0;
    stream.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received === wanted) session.destroy();
      else if (received % (messageBytes + prefixBytes) === 0) stream.write(acknowledgement);
    });
    stream.write(acknowledgement);
    await once(session, 'close');
  };
  await Promise.all(Array.from({ length: connections }, oneConnection));
}

async function measureServer(name: string, workload: Workload): Promise<readonly string[]> {
  const child = fork(fileURLToPath(import.meta.url), [name]);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  await run(port, { ...workload, connections: 10 });
  const before = await ask<Usage>(child);
  await run(port, workload);
  const after = await ask<Usage>(child);
  child.kill();
  const messages = workload.connections * workload.messages;
  const cpuMs = after.cpuMs - before.cpuMs;
  return [
    `${workload.messageBytes / 1000} kB, ${name}`,
    (cpuMs / messages).toFixed(4),
    (cpuMs / ((messages * workload.messageBytes) / 1e6)).toFixed(2),
    after.peakMiB.toFixed(0),
  ];
}

export const grpcServers = {
  about: 'messages to 100 connections, each acknowledged; CPU milliseconds of the server process',
  async run(): Promise<void> {
    const rows: (readonly string[])[] = [['message, server', 'ms/message', 'ms/MB', 'peak MiB']];
    for (const workload of workloads) {
      for (const name of Object.keys(servers)) rows.push(await measureServer(name, workload));
    }
    printTable(rows);
  },
};

// This file is also the process that serves.
if (import.meta.main) await serve(process.argv[2] ?? '');
