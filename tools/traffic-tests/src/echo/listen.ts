import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';

export interface ListeningServer extends Disposable {
  readonly address: string;
  readonly port: number;
}

/** Listens on a free port; disposing ends its connections too. */
export async function listen(server: Server, address: string): Promise<ListeningServer> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, address);
  await once(server, 'listening');
  return {
    address,
    port: (server.address() as AddressInfo).port,
    [Symbol.dispose]: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
