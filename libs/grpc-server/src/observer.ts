import type { Peer } from './peer.ts';
import type { CallStatus } from './status.ts';

/** What a server tells its owner, for logs and metrics. It must not throw. */
export interface ServerObserver {
  connectionOpened?(peer: Peer): void;
  /** @param error why the connection broke; absent where it was closed in order. */
  connectionClosed?(peer: Peer, error: Error | undefined): void;
  /** A TLS handshake failed, or the client's certificate was refused. */
  handshakeFailed?(address: string, error: Error): void;
  callStarted?(method: string, peer: Peer): void;
  callEnded?(call: EndedCall): void;
  /** A handler threw something that isn't a `GrpcError`; the client only learns UNKNOWN. */
  handlerFailed?(method: string, error: unknown): void;
}

export interface EndedCall {
  readonly method: string;
  readonly peer: Peer;
  readonly status: CallStatus;
  readonly durationMs: number;
}
