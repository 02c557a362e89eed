import type { CallStatus, ServerStream } from '@kedge/grpc-server';

/**
 * A stream of encoded messages in both directions, with back-pressure: what the engine needs of a gRPC call. Tests give
 * one that lives in the process.
 */
export type AdsStream = Pick<
  ServerStream,
  'signal' | 'draining' | 'receive' | 'pause' | 'resume' | 'write' | 'onDrain' | 'end'
> & { readonly peer: AdsPeer };

/** Who opened the stream, by what the transport knows: the basis of authentication. */
export interface AdsPeer {
  readonly address: string;
  readonly tls: boolean;
  /** The client's verified certificate. */
  readonly certificate: ServerStream['peer']['certificate'];
  /** Request metadata, keys in lower case; `authorization` carries a token. */
  readonly metadata: ServerStream['metadata'];
}

export type { CallStatus };
