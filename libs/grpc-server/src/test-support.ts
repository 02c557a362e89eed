import { readFileSync } from 'node:fs';
import {
  Client,
  credentials,
  type status,
  type CallOptions,
  type ChannelCredentials,
  type ClientDuplexStream,
  type ClientOptions,
  type Metadata,
  type ServiceError,
  type StatusObject,
} from '@grpc/grpc-js';
import { GrpcServer } from './server.ts';
import type { ListenAddress, Listener } from './listener.ts';
import type { ServerOptions } from './options.ts';
import type { ServiceMethods } from './service.ts';

export const bytes = (text: string): Uint8Array => Buffer.from(text);
export const text = (data: Uint8Array): string => Buffer.from(data).toString();

export function testdata(name: string): string {
  return readFileSync(new URL(`../testdata/${name}`, import.meta.url), 'utf8');
}

export interface TestServer extends AsyncDisposable {
  readonly server: GrpcServer;
  readonly listener: Listener;
  readonly address: string;
  /** A client of grpc-js; it is closed with the server. */
  connect(options?: ClientOptions, channel?: ChannelCredentials): TestClient;
}

/** A server with the service `test.Test` on a free port of loopback. */
export async function startServer(
  methods: ServiceMethods,
  options: ServerOptions = {},
  listen: Omit<ListenAddress, 'port' | 'path'> = {},
): Promise<TestServer> {
  const server = new GrpcServer(options).addService('test.Test', methods);
  const listener = await server.listen({ host: '127.0.0.1', port: 0, ...listen });
  const address = `127.0.0.1:${listener.port}`;
  const clients: TestClient[] = [];
  return {
    server,
    listener,
    address,
    connect: (clientOptions = {}, channel = credentials.createInsecure()) => {
      const client = new TestClient(address, channel, clientOptions);
      clients.push(client);
      return client;
    },
    [Symbol.asyncDispose]: async () => {
      for (const client of clients) client.close();
      await server.shutdown(0);
    },
  };
}

const asBuffer = (data: Uint8Array): Buffer => Buffer.from(data.buffer, data.byteOffset, data.byteLength);

/** A grpc-js client of `test.Test` (or of the service whose methods are named by full path) for raw bytes. */
export class TestClient {
  readonly #client: Client;

  constructor(address: string, channel: ChannelCredentials, options: ClientOptions) {
    // Every client has a connection of its own, and messages as large as a test likes.
    const defaults = {
      'grpc.use_local_subchannel_pool': 1,
      'grpc.max_receive_message_length': -1,
      'grpc.ssl_target_name_override': 'localhost',
    };
    this.#client = new Client(address, channel, { ...defaults, ...options });
  }

  unary(method: string, request: Uint8Array, metadata?: Metadata, options: CallOptions = {}): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const callback = (error: ServiceError | null, response?: Uint8Array): void =>
        error ? reject(error) : resolve(response!);
      if (metadata) {
        this.#client.makeUnaryRequest(path(method), asBuffer, asBuffer, request, metadata, options, callback);
      } else {
        this.#client.makeUnaryRequest(path(method), asBuffer, asBuffer, request, options, callback);
      }
    });
  }

  bidi(method: string, metadata?: Metadata, options: CallOptions = {}): TestStream {
    const call = metadata
      ? this.#client.makeBidiStreamRequest(path(method), asBuffer, asBuffer, metadata, options)
      : this.#client.makeBidiStreamRequest(path(method), asBuffer, asBuffer, options);
    return new TestStream(call);
  }

  close(): void {
    this.#client.close();
  }
}

function path(method: string): string {
  return method.startsWith('/') ? method : `/test.Test/${method}`;
}

/** A bidirectional call of a client: what was received, and how it ended. */
export class TestStream {
  readonly call: ClientDuplexStream<Uint8Array, Uint8Array>;
  readonly received: Uint8Array[] = [];
  readonly status: Promise<StatusObject>;
  #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  constructor(call: ClientDuplexStream<Uint8Array, Uint8Array>) {
    this.call = call;
    call.on('error', () => undefined);
    this.status = new Promise((resolve) => call.on('status', resolve));
    call.on('data', (message: Uint8Array) => {
      this.received.push(message);
      this.#waiting = this.#waiting.filter(({ count, resolve }) => {
        if (this.received.length < count) return true;
        resolve();
        return false;
      });
    });
  }

  send(...messages: readonly Uint8Array[]): this {
    for (const message of messages) this.call.write(message);
    return this;
  }

  /** Settles once so many messages came. */
  count(count: number): Promise<void> {
    if (this.received.length >= count) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ count, resolve }));
  }
}

/** The status of a call that must fail. */
export async function failure(call: Promise<unknown>): Promise<{ code: status; details: string; metadata: Metadata }> {
  const [result] = await Promise.allSettled([call]);
  if (result.status === 'fulfilled') throw new Error('the call succeeded');
  return result.reason as { code: status; details: string; metadata: Metadata };
}

/** Waits until a condition holds; the test's own time-out ends it. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}
