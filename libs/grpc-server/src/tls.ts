import { constants } from 'node:crypto';
import type { SecureContextOptions, TLSSocket, TlsOptions as NodeTlsOptions } from 'node:tls';

/** PEM texts of a server. */
export interface TlsCredentials {
  readonly key: string;
  /** The server's certificate, followed by its intermediates. */
  readonly cert: string;
  /** The roots that clients' certificates are verified against. */
  readonly ca?: string;
}

export interface TlsOptions {
  readonly credentials: TlsCredentials;
  /**
   * Whether clients are asked for a certificate (`none` by default). One that is presented must verify, also where it is
   * optional.
   */
  readonly clientCertificate?: 'none' | 'optional' | 'required';
}

/**
 * Sessions are never resumed: a resumed session skips the verification of the client's certificate, and so would outlive
 * a change of the roots.
 */
export function secureContextOptions({ key, cert, ca }: TlsCredentials): SecureContextOptions {
  return { key, cert, ca, minVersion: 'TLSv1.2', secureOptions: constants.SSL_OP_NO_TICKET };
}

export function tlsServerOptions({ credentials, clientCertificate = 'none' }: TlsOptions): NodeTlsOptions {
  return {
    ...secureContextOptions(credentials),
    ALPNProtocols: ['h2'],
    requestCert: clientCertificate !== 'none',
    // `refuseClient` decides, since Node's own check can't tell a bad certificate from none.
    rejectUnauthorized: false,
    handshakeTimeout: 10_000,
  };
}

/** Why the client on this socket must not be served, or undefined where it may. */
export function refuseClient({ clientCertificate = 'none' }: TlsOptions, socket: TLSSocket): Error | undefined {
  if (clientCertificate === 'none') return undefined;
  if (socket.getPeerX509Certificate() === undefined) {
    return clientCertificate === 'required' ? new Error('the client presented no certificate') : undefined;
  }
  return socket.authorized
    ? undefined
    : new Error("the client's certificate is not valid", { cause: socket.authorizationError });
}
