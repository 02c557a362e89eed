import type { Nack } from './nack.ts';

/** Which kind of xDS a stream speaks. */
export type Protocol = 'sotw' | 'delta';

export interface ConnectionRef<Client> {
  /** `NODE-NUMBER`, unique in the process. */
  readonly id: string;
  readonly nodeId: string;
  readonly client: Client;
  readonly protocol: Protocol;
  readonly peerAddress: string;
}

/** Why an answer was sent: a push, a request of the client, or what had waited for the former answer's ACK. */
export type SendReason = 'push' | 'request' | 'acknowledged' | 'drained';

/**
 * What happens in the engine, for metrics, logs and traces. Times are in milliseconds; `push` numbers count from 1 and are
 * the last part of the version.
 */
export type XdsEvent<Client, Request> =
  | { readonly kind: 'configUpdate'; readonly request: Request }
  | {
      readonly kind: 'debounced';
      readonly request: Request;
      /** How many requests were merged into this one. */
      readonly merged: number;
      readonly quietMs: number;
      readonly waitedMs: number;
    }
  | {
      readonly kind: 'pushStarted';
      readonly push: number;
      readonly version: string;
      readonly request: Request;
      readonly connections: number;
      readonly snapshotMs: number;
      readonly debounceMs: number;
    }
  | { readonly kind: 'snapshotFailed'; readonly request: Request; readonly error: unknown }
  | { readonly kind: 'queued'; readonly connection: ConnectionRef<Client>; readonly merged: boolean }
  | { readonly kind: 'dequeued'; readonly connection: ConnectionRef<Client>; readonly queuedMs: number }
  /** A push that does not concern the connection at all (`needsPush`). */
  | { readonly kind: 'skipped'; readonly connection: ConnectionRef<Client>; readonly push: number }
  /** Generation gave what the client has. */
  | {
      readonly kind: 'unchanged';
      readonly connection: ConnectionRef<Client>;
      readonly push: number;
      readonly typeUrl: string;
      readonly generateMs: number;
    }
  | {
      readonly kind: 'sent';
      readonly connection: ConnectionRef<Client>;
      readonly push: number;
      readonly typeUrl: string;
      readonly nonce: string;
      readonly version: string;
      readonly reason: SendReason;
      readonly resources: number;
      readonly removed: number;
      readonly bytes: number;
      readonly generateMs: number;
      readonly writeMs: number;
    }
  /** All that a push had for a connection is written, or waits for the client. `totalMs` counts from the first event. */
  | {
      readonly kind: 'pushed';
      readonly connection: ConnectionRef<Client>;
      readonly push: number;
      readonly pushMs: number;
      readonly totalMs: number;
    }
  | {
      readonly kind: 'ack';
      readonly connection: ConnectionRef<Client>;
      readonly typeUrl: string;
      readonly nonce: string;
      readonly push: number;
      readonly afterMs: number;
    }
  | {
      readonly kind: 'nack';
      readonly connection: ConnectionRef<Client>;
      readonly typeUrl: string;
      readonly nonce: string;
      readonly nack: Nack;
    }
  | {
      readonly kind: 'staleNonce';
      readonly connection: ConnectionRef<Client>;
      readonly typeUrl: string;
      readonly nonce: string;
    }
  /** An answer was neither accepted nor refused in time; it counts as lost. */
  | {
      readonly kind: 'ackTimeout';
      readonly connection: ConnectionRef<Client>;
      readonly typeUrl: string;
      readonly nonce: string;
    }
  | {
      readonly kind: 'request';
      readonly connection: ConnectionRef<Client>;
      readonly typeUrl: string;
      readonly bytes: number;
    }
  | { readonly kind: 'unknownType'; readonly connection: ConnectionRef<Client>; readonly typeUrl: string }
  | {
      readonly kind: 'generateFailed';
      readonly connection: ConnectionRef<Client>;
      readonly typeUrl: string;
      readonly error: unknown;
    }
  | { readonly kind: 'opened'; readonly connection: ConnectionRef<Client> }
  | {
      readonly kind: 'closed';
      readonly connection: ConnectionRef<Client>;
      readonly reason: string;
      readonly openMs: number;
    }
  | { readonly kind: 'rejected'; readonly peerAddress: string; readonly reason: string };

/** Gets every event; it must not throw. */
export type XdsObserver<Client, Request> = (event: XdsEvent<Client, Request>) => void;
