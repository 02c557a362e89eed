import { once } from 'node:events';
import { createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { serveCommands } from '../process/remote.ts';

// A server that only writes: bytes that are at hand, a message after the acknowledgement of the one before.

const HEADER_BYTES = 5;

let messages: readonly Buffer[] = [];
/** Streams, with how many of the messages each was sent. */
const streams = new Map<ServerHttp2Stream, number>();

const commands = {
  async listen(): Promise<number> {
    const server = createServer();
    server.on('stream', (stream: ServerHttp2Stream) => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
      streams.set(stream, 0);
      stream.on('data', () => sendNext(stream));
      stream.on('error', () => undefined).on('close', () => streams.delete(stream));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  },

  /** Sends messages of these sizes on every stream; the bytes are the same for all. */
  send(sizes: readonly number[]): void {
    messages = sizes.map((size) => {
      const frame = Buffer.alloc(HEADER_BYTES + size, 1);
      frame[0] = 0;
      frame.writeUInt32BE(size, 1);
      return frame;
    });
    for (const stream of streams.keys()) {
      streams.set(stream, 0);
      sendNext(stream);
    }
  },
};

export type FloorServerCommands = typeof commands;

function sendNext(stream: ServerHttp2Stream): void {
  const sent = streams.get(stream) ?? 0;
  const message = messages[sent];
  if (message === undefined) return;
  streams.set(stream, sent + 1);
  stream.write(message);
}

serveCommands(commands);
