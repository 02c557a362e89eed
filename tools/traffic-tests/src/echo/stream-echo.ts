import { createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { testCertificates } from '@kedge/testbed';
import { listen, type ListeningServer } from './listen.ts';

/** A TCP server that says its name and ends the connection. */
export function startTcpEcho(name: string, address: string): Promise<ListeningServer> {
  const server = createServer((socket) => socket.on('error', () => undefined).end(name));
  return listen(server, address);
}

/** A TLS server, for *.example.com, that says its name and the SNI that it saw, and ends the connection. */
export function startTlsEcho(name: string, address: string): Promise<ListeningServer> {
  const { certificate: cert, key } = testCertificates.edge;
  const server = createTlsServer({ cert, key }, (socket) =>
    socket.on('error', () => undefined).end(`${name} ${socket.servername || 'no SNI'}`),
  );
  server.on('tlsClientError', () => undefined);
  return listen(server, address);
}
