import { type Socket as UdpSocket, createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type Server, type Socket, createServer, isIPv6 } from 'node:net';
import type { NameTable } from '@kedge/envoy-api';
import type { Logger } from '@kedge/observability';
import { type Found, LookupTable, type NameScope } from './lookup-table.ts';
import {
  fitAnswer,
  largestMessage,
  readRequest,
  RecordType,
  type Request,
  ResponseCode,
  writeAnswer,
  writeError,
} from './message.ts';
import type { DnsMetrics } from './metrics.ts';
import { MessageReader, writeMessage } from './tcp-message.ts';
import { type Protocol, shuffled, type Upstream } from './upstream.ts';

export interface DnsServerOptions {
  readonly scope: NameScope;
  readonly upstream: Upstream;
  /** Whether name servers are asked before the names of the mesh are known, for a host that has no other way to find it. */
  readonly answerBeforeTable: boolean;
  readonly metrics: DnsMetrics;
  readonly log: Logger;
}

export interface ListenAddress {
  readonly host: string;
  /** 0 is any one, the same for UDP and TCP. */
  readonly port: number;
}

/** A client that keeps a connection gets this long for the next request. */
const idleMs = 10_000;
const maxConnections = 512;
/** Answers that wait for a client to take them. */
const maxWaitingBytes = 1024 * 1024;

/** Answers by the names of the mesh, and has name servers answer for all others. */
export class DnsServer implements AsyncDisposable {
  readonly #options: DnsServerOptions;
  readonly #sockets: UdpSocket[] = [];
  readonly #servers: Server[] = [];
  readonly #connections = new Set<Socket>();
  #table: LookupTable | undefined;

  constructor(options: DnsServerOptions) {
    this.#options = options;
  }

  /** The names in use; undefined until there are any. */
  get table(): LookupTable | undefined {
    return this.#table;
  }

  /** Replaces the names of the mesh. */
  update(table: NameTable): void {
    this.#table = new LookupTable(table, this.#options.scope);
  }

  /** Listens over UDP and TCP. Gives the port. Rejects if it is taken. */
  async listen({ host, port }: ListenAddress): Promise<number> {
    const server = createServer((connection) => this.#serve(connection));
    server.maxConnections = maxConnections;
    this.#servers.push(server);
    server.listen(port, host);
    await once(server, 'listening');
    const address = server.address();
    const bound = typeof address === 'object' && address ? address.port : port;
    const socket = createSocket(isIPv6(host) ? { type: 'udp6', ipv6Only: host !== '::' } : { type: 'udp4' });
    this.#sockets.push(socket);
    socket.bind(bound, host);
    await once(socket, 'listening');
    socket.on('error', (error) => this.#options.log.error('the UDP socket failed', { error }));
    socket.on('message', (message, { address: client, port: clientPort }) => {
      void this.#answer(message, 'udp').then((answer) => {
        // An answer may come when the socket is closed; and a client that is gone is nobody's problem.
        if (answer && this.#sockets.includes(socket)) socket.send(answer, clientPort, client, () => undefined);
      });
    });
    return bound;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#options.upstream[Symbol.dispose]();
    const closing = this.#sockets.splice(0).map(async (socket) => {
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    });
    for (const server of this.#servers.splice(0)) {
      if (server.listening) closing.push(once(server.close(), 'close').then(() => undefined));
    }
    for (const connection of this.#connections) connection.destroy();
    await Promise.all(closing);
  }

  #serve(connection: Socket): void {
    this.#connections.add(connection);
    connection.setTimeout(idleMs, () => connection.destroy());
    connection.on('error', () => connection.destroy());
    connection.on('close', () => this.#connections.delete(connection));
    const reader = new MessageReader((message) => {
      void this.#answer(message, 'tcp').then((answer) => {
        if (!answer || !connection.writable) return;
        connection.write(writeMessage(answer));
        if (connection.writableLength > maxWaitingBytes) connection.destroy();
      });
    });
    connection.on('data', (chunk: Buffer) => reader.push(chunk));
  }

  /** The answer to a message, undefined if there shall be none. Never rejects. */
  async #answer(message: Buffer, protocol: Protocol): Promise<Buffer | undefined> {
    const { metrics, answerBeforeTable } = this.#options;
    const request = readRequest(message);
    if (request.kind === 'ignored') return undefined;
    metrics.istio_agent_dns_requests_total.increment();
    if (request.kind === 'refused') return writeError(message, request.code);
    const { question } = request;
    const limit = protocol === 'tcp' ? largestMessage : request.limit;
    if (!this.#table && !answerBeforeTable) return writeError(message, ResponseCode.serverFailure, question);
    const isAddress = question.type === RecordType.A || question.type === RecordType.AAAA;
    const isOurs = isAddress && question.class === 1 && question.name !== undefined;
    const found = isOurs ? this.#table?.find(question.name) : undefined;
    return found ? answerOf(message, request, found, limit) : this.#fromUpstream(message, request, protocol, limit);
  }

  async #fromUpstream(message: Buffer, { question }: Query, protocol: Protocol, limit: number): Promise<Buffer> {
    const { metrics, upstream, log } = this.#options;
    metrics.istio_agent_dns_upstream_requests_total.increment();
    const started = performance.now();
    try {
      return fitAnswer(await upstream.ask(message, protocol), limit);
    } catch (error) {
      metrics.istio_agent_dns_upstream_failures_total.increment();
      log.info('no name server answers', { error, name: question.name });
      return writeError(message, ResponseCode.serverFailure, question);
    } finally {
      metrics.istio_agent_dns_upstream_request_duration_seconds.observe((performance.now() - started) / 1000);
    }
  }
}

type Query = Extract<Request, { kind: 'query' }>;

/**
 * Without an address of the family there is no record, and no error: a client would take the error for one about the name, the
 * other family included. Addresses are in random order, so that clients which take the first one spread.
 */
function answerOf(message: Buffer, query: Query, { alias, addresses }: Found, limit: number): Buffer {
  const family = shuffled(query.question.type === RecordType.A ? addresses.v4 : addresses.v6);
  const known = family.length > 0 && alias !== undefined ? { alias } : {};
  return writeAnswer(message, query, { ...known, addresses: family }, limit);
}
