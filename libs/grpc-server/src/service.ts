import type { Metadata } from './metadata.ts';
import type { Peer } from './peer.ts';
import type { CallStatus, OutgoingMetadata } from './status.ts';

/** What every handler knows about its call. */
export interface CallContext {
  /** The path of the request: `/package.Service/Method`. */
  readonly method: string;
  readonly metadata: Metadata;
  readonly peer: Peer;
  /** When the client gives up, in milliseconds since 1970. */
  readonly deadline: number | undefined;
  /**
   * Aborts when the call is over, however it came to that: ended by the handler, cancelled, timed out, connection lost.
   * The reason is a `GrpcError`.
   */
  readonly signal: AbortSignal;
  /** Aborts when the connection is to close: long-lived calls should end soon, with UNAVAILABLE. */
  readonly draining: AbortSignal;
  /** Sends the response headers now, rather than with the first message; has no effect once they are sent. */
  sendHeaders(metadata?: OutgoingMetadata): void;
}

/** A call with any number of messages in both directions. Everything after its end is ignored. */
export interface ServerStream extends CallContext {
  /**
   * Starts receiving. Nothing is read from the client before, so its flow control holds it back.
   * @param onMessage gets each message, a view of a buffer that is used again once it returns: what is to stay has to be
   * copied. What it throws ends the call.
   * @param onHalfClose is called when the client has sent its last message; without it the call ends with OK.
   */
  receive(onMessage: (message: Uint8Array) => void, onHalfClose?: () => void): void;
  /** Stops `onMessage` at once, until `resume`; the client's flow control window then fills. */
  pause(): void;
  resume(): void;
  /**
   * Sends one message that consists of these chunks. They are not copied (save tiny ones), so they must not change.
   * @returns false where the client is slow and a cooperative caller waits for `onDrain`; the message is queued anyway.
   */
  write(...chunks: readonly Uint8Array[]): boolean;
  /** Bytes that were written and aren't yet handed to the network. */
  readonly buffered: number;
  /** Sets what is called when everything that was written is handed to the network, after `write` returned false. */
  onDrain(listener: () => void): void;
  /** Ends the call, with OK by default, after the messages that were written. */
  end(status?: CallStatus): void;
  /** Ends the call with the status that belongs to something thrown; see `GrpcError.from`. */
  fail(error: unknown): void;
}

export interface UnaryMethod {
  readonly kind: 'unary';
  /** What it throws or rejects with ends the call. */
  handle(request: Uint8Array, call: CallContext): Uint8Array | Promise<Uint8Array>;
}

export interface ServerStreamMethod {
  readonly kind: 'serverStream';
  /** A rejected promise ends the call; a fulfilled one does not, only `stream.end` does. */
  handle(request: Uint8Array, stream: Omit<ServerStream, 'receive' | 'pause' | 'resume'>): void | Promise<void>;
}

export interface BidiMethod {
  readonly kind: 'bidi';
  /** A rejected promise ends the call; a fulfilled one does not, only `stream.end` does. */
  handle(stream: ServerStream): void | Promise<void>;
}

export type Method = UnaryMethod | ServerStreamMethod | BidiMethod;

/** The methods of a service by name, as in its .proto file (`StreamAggregatedResources`). */
export type ServiceMethods = Readonly<Record<string, Method>>;
