import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';
import type { Logger } from '@kedge/observability';
import { isAnswerTo } from './message.ts';
import { MessageReader, writeMessage } from './tcp-message.ts';

export type Protocol = 'udp' | 'tcp';

export interface NameServer {
  readonly address: string;
  readonly port: number;
}

export interface UpstreamOptions {
  readonly servers: readonly NameServer[];
  /** Whether all servers are asked at once, and the first one's answer counts; else one after the other, in random order. */
  readonly parallel: boolean;
  /** How long one server may take. */
  readonly timeoutMs: number;
  readonly log: Logger;
}

/** Requests under way at most; beyond, each would take a socket from the others. */
const maxRequests = 1024;

/** The name servers that know what the mesh doesn't. Messages are passed on as they are, but for their ID. */
export class Upstream implements Disposable {
  readonly #options: UpstreamOptions;
  readonly #end = new AbortController();
  #requests = 0;

  constructor(options: UpstreamOptions) {
    this.#options = options;
  }

  [Symbol.dispose](): void {
    this.#end.abort(new Error('the DNS server ends'));
  }

  /**
   * The answer to a request, by the protocol that it came by.
   * @throws Error where no server answers.
   */
  async ask(request: Buffer, protocol: Protocol): Promise<Buffer> {
    if (this.#requests >= maxRequests) throw new Error(`${maxRequests} requests are under way`);
    this.#requests += 1;
    using settled = new DisposableStack();
    settled.defer(() => (this.#requests -= 1));
    const found = new AbortController();
    settled.defer(() => found.abort());
    const signal = AbortSignal.any([this.#end.signal, found.signal]);
    // An ID of our own: the client's may be known to others.
    const own = Buffer.from(request);
    own.writeUInt16BE(randomInt(0x10000));
    const answer = Buffer.from(await this.#askServers(own, protocol, signal));
    request.copy(answer, 0, 0, 2);
    return answer;
  }

  async #askServers(request: Buffer, protocol: Protocol, signal: AbortSignal): Promise<Buffer> {
    const { servers, parallel, timeoutMs, log } = this.#options;
    if (servers.length === 0) throw new Error('there is no name server');
    const askOne = async (server: NameServer): Promise<Buffer> => {
      try {
        return await exchange[protocol](request, server, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
      } catch (error) {
        if (!signal.aborted) log.debug(`name server ${server.address} does not answer`, { error });
        throw error;
      }
    };
    if (parallel) return Promise.any(servers.map(askOne));
    let last: unknown;
    for (const server of shuffled(servers)) {
      try {
        return await askOne(server);
      } catch (error) {
        last = error;
        if (signal.aborted) break;
      }
    }
    throw last;
  }
}

/** A copy in random order. */
export function shuffled<T>(items: readonly T[]): T[] {
  const copy = [...items];
  for (let index = copy.length - 1; index > 0; index--) {
    const other = Math.floor(Math.random() * (index + 1));
    [copy[index], copy[other]] = [copy[other]!, copy[index]!];
  }
  return copy;
}

type Exchange = (request: Buffer, server: NameServer, signal: AbortSignal) => Promise<Buffer>;

const exchange: Readonly<Record<Protocol, Exchange>> = {
  /** By a socket of its own, whose random port is what an attacker would have to guess beside the ID. */
  udp: async (request, { address, port }, signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
    const abort = (): void => reject(reasonOf(signal));
    signal.addEventListener('abort', abort, { once: true });
    socket.on('error', reject);
    socket.on('message', (message) => {
      if (isAnswerTo(message, request)) resolve(message);
    });
    socket.connect(port, address, () => socket.send(request));
    if (signal.aborted) abort();
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', abort);
      socket.close();
    }
  },

  tcp: async (request, { address, port }, signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const socket = connect({ host: address, port });
    const abort = (): void => reject(reasonOf(signal));
    signal.addEventListener('abort', abort, { once: true });
    const reader = new MessageReader((message) => {
      if (isAnswerTo(message, request)) resolve(message);
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the name server closed the connection')));
    socket.on('data', (chunk: Buffer) => reader.push(chunk));
    socket.write(writeMessage(request));
    if (signal.aborted) abort();
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', abort);
      socket.destroy();
    }
  },
};

const reasonOf = (signal: AbortSignal): Error =>
  signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason));
