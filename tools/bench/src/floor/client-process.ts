import { GrpcStream } from '../load/grpc-stream.ts';
import { now } from '../load/proxy.ts';
import { serveCommands } from '../process/remote.ts';
import type { Exchange } from './floor.ts';

// Clients that acknowledge what they are sent without a look at it.

let received = 0;
let lastAt = 0;
let acknowledgements: readonly Buffer[] = [];
/** Starts each client's count of messages anew. */
const restarts: (() => void)[] = [];

const commands = {
  connect({ port, count }: { readonly port: number; readonly count: number }): void {
    for (let index = 0; index < count; index += 1) {
      let at = 0;
      const stream = new GrpcStream(port, '/bench.Floor/Stream', {
        message: () => {
          received += 1;
          lastAt = now();
          stream.send(acknowledgements[at++] ?? Buffer.alloc(0));
        },
        closed: () => undefined,
      });
      restarts.push(() => (at = 0));
    }
  },

  expect(exchanges: readonly Exchange[]): void {
    acknowledgements = exchanges.map(({ acknowledgement }) => Buffer.alloc(acknowledgement));
    for (const restart of restarts) restart();
  },

  status: () => ({ received, lastAt }),
};

export type FloorClientCommands = typeof commands;

serveCommands(commands);
