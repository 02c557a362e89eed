import type { X509Certificate } from 'node:crypto';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';

/** Who is at the other end of a connection. */
export class Peer {
  /** `host:port` (IPv6 in brackets), or `unix` for Unix sockets and streams that are no sockets. */
  readonly address: string;
  /** Whether the connection is encrypted. */
  readonly tls: boolean;
  /** The client's certificate, which was verified against the listener's `ca`; absent where it presented none. */
  readonly certificate: X509Certificate | undefined;

  constructor(socket: Duplex) {
    this.address = addressOf(socket);
    this.tls = socket instanceof TLSSocket;
    this.certificate = socket instanceof TLSSocket && socket.authorized ? socket.getPeerX509Certificate() : undefined;
  }
}

function addressOf(socket: Duplex): string {
  const { remoteAddress, remotePort } = socket instanceof Socket ? socket : {};
  if (remoteAddress === undefined) return 'unix';
  return remoteAddress.includes(':') ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`;
}
