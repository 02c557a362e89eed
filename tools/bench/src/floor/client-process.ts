import { GrpcStream } from '../load/grpc-stream.ts';
import { now } from '../load/proxy.ts';
import { serveCommands } from '../process/remote.ts';

// Clients that acknowledge what they are sent without a look at it.

const ACKNOWLEDGEMENT = Buffer.alloc(200);

let received = 0;
let lastAt = 0;

const commands = {
  connect({ port, count }: { readonly port: number; readonly count: number }): void {
    for (let index = 0; index < count; index += 1) {
      const stream = new GrpcStream(port, '/bench.Floor/Stream', {
        message: () => {
          received += 1;
          lastAt = now();
          stream.send(ACKNOWLEDGEMENT);
        },
        closed: () => undefined,
      });
      stream.send(ACKNOWLEDGEMENT);
    }
  },

  status: () => ({ received, lastAt }),
};

export type FloorClientCommands = typeof commands;

serveCommands(commands);
