import { once } from 'node:events';
import { createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { serveCommands } from '../process/remote.ts';
import type { Exchange } from './floor.ts';

// A server that only writes: bytes that are at hand, a message after the acknowledgement of the one before.

const HEADER_BYTES = 5;

let messages: readonly Buffer[] = [];
let exchanges: readonly Exchange[] = [];
/** How far each stream has come. */
const streams = new Map<ServerHttp2Stream, { sent: number; unacknowledged: number }>();

const commands = {
  async listen(): Promise<number> {
    const server = createServer();
    server.on('stream', (stream: ServerHttp2Stream) => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
      streams.set(stream, { sent: 0, unacknowledged: 0 });
      stream.on('data', (chunk: Buffer) => receive(stream, chunk.length));
      stream.on('error', () => undefined).on('close', () => streams.delete(stream));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  },

  /** Sends such messages on every stream; the bytes are the same for all. */
  send(next: readonly Exchange[]): void {
    exchanges = next;
    messages = next.map(({ bytes }) => {
      const frame = Buffer.alloc(HEADER_BYTES + bytes, 1);
      frame[0] = 0;
      frame.writeUInt32BE(bytes, 1);
      return frame;
    });
    for (const [stream, state] of streams) {
      state.sent = 0;
      sendNext(stream);
    }
  },
};

export type FloorServerCommands = typeof commands;

function receive(stream: ServerHttp2Stream, bytes: number): void {
  const state = streams.get(stream);
  if (state === undefined) return;
  state.unacknowledged -= bytes;
  if (state.unacknowledged === 0) sendNext(stream);
}

function sendNext(stream: ServerHttp2Stream): void {
  const state = streams.get(stream);
  const message = messages[state?.sent ?? 0];
  if (state === undefined || message === undefined) return;
  state.unacknowledged = HEADER_BYTES + (exchanges[state.sent]?.acknowledgement ?? 0);
  state.sent += 1;
  stream.write(message);
}

serveCommands(commands);
