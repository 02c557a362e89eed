import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer as createTlsServer, type Server as TlsServer, type TLSSocket } from 'node:tls';
import { refuseClient, secureContextOptions, tlsServerOptions, type TlsCredentials, type TlsOptions } from './tls.ts';

/** Where to listen: a port (0 picks a free one) of a host (all by default), or the path of a Unix socket. */
export type ListenAddress = ({ readonly host?: string; readonly port: number } | { readonly path: string }) & {
  /** Absent: plain text (h2c). */
  readonly tls?: TlsOptions;
};

export interface Listener {
  /** The TCP port; 0 for a Unix socket. */
  readonly port: number;
  /** Uses other credentials for handshakes from now on; open connections stay. Throws on a listener without TLS. */
  setCredentials(credentials: TlsCredentials): void;
  /** Accepts no more connections; those that exist stay. */
  close(): void;
}

export interface ListenerEvents {
  readonly onConnection: (socket: Duplex) => void;
  readonly onHandshakeFailure: (address: string, error: Error) => void;
}

/** Connections that may wait: a control plane that restarts is called by all its proxies at once. */
const backlog = 4096;

/** Rejects where the address can't be bound or the credentials aren't valid. */
export async function openListener({ tls, ...address }: ListenAddress, events: ListenerEvents): Promise<Listener> {
  const secure = tls && createSecureServer(tls, events);
  const server = secure ?? createServer({ noDelay: true }, events.onConnection);

  server.listen({ ...address, backlog });
  await once(server, 'listening');
  return {
    port: portOf(server),
    setCredentials: (credentials) => {
      if (!secure) throw new Error('credentials were given to a listener without TLS');
      secure.setSecureContext(secureContextOptions(credentials));
    },
    close: () => void server.close(),
  };
}

function createSecureServer(tls: TlsOptions, events: ListenerEvents): TlsServer {
  const failed = (socket: TLSSocket, error: Error): void =>
    events.onHandshakeFailure(socket.remoteAddress ?? 'unix', error);
  const server = createTlsServer({ noDelay: true, ...tlsServerOptions(tls) }, (socket) => {
    const refusal = refuseClient(tls, socket);
    if (refusal === undefined) {
      events.onConnection(socket);
    } else {
      failed(socket, refusal);
      socket.destroy();
    }
  });
  server.on('tlsClientError', (error, socket) => failed(socket, error));
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
