import type { Node } from '@kedge/envoy-api';
import type { AdsPeer, CallStatus } from './ads-stream.ts';
import type { Clock } from './clock.ts';
import type { DebounceOptions } from './debounce.ts';
import type { ConnectionRef, XdsObserver } from './events.ts';
import type { Answer, EncodedResource, Held } from './answer.ts';
import type { ClientClass, GeneratorRegistry } from './generator-registry.ts';
import type { Nack } from './nack.ts';

/** Whether a client may open a stream, and as what. */
export type ConnectResult<Client> =
  | ({ readonly kind: 'accepted'; readonly client: Client } & ClientClass)
  | { readonly kind: 'rejected'; readonly status: CallStatus };

/** The types that a push may change for a client. */
export type PushScope = 'all' | 'none' | ReadonlySet<string>;

/** An answer that a client has accepted or refused. */
export interface JudgedAnswer {
  /** The resources that it was sent. */
  readonly sent: readonly EncodedResource[];
  /** What it held of that type when it was sent them. */
  readonly held: Held;
  /** The push that the answer belongs to. */
  readonly push: number;
}

/** Replaces what was generated before it is sent: the place for falling back to what clients accepted before. */
export interface Refusals<Client> {
  /** @param held what the client has accepted of that type. */
  serve(connection: ConnectionRef<Client>, typeUrl: string, generated: Answer, held: Held): Answer;
  /** @returns whether the client is to be served something else now. */
  refused(connection: ConnectionRef<Client>, typeUrl: string, judged: JudgedAnswer, nack: Nack): boolean;
  /** @returns whether the client is to be served something else now. */
  accepted(connection: ConnectionRef<Client>, typeUrl: string, judged: JudgedAnswer): boolean;
  closed(connection: ConnectionRef<Client>): void;
}

export interface DiscoveryServerOptions<Snapshot, Client, Request> {
  readonly initialSnapshot: Snapshot;
  /** The snapshot after a change. Throwing keeps the former, and nothing is pushed. */
  nextSnapshot(previous: Snapshot, request: Request): Snapshot;
  /** One request for what two asked for, the earlier first. */
  mergeRequests(earlier: Request, later: Request): Request;
  /** Authenticates and describes a client by its first request's node. */
  connect(node: Node, peer: AdsPeer): ConnectResult<Client> | Promise<ConnectResult<Client>>;
  /** The stream of an accepted client has ended. */
  disconnected?(client: Client): void;
  /** Which of the watched types a push may change. Naming too many costs time, naming too few loses changes. */
  needsPush(client: Client, request: Request, snapshot: Snapshot): PushScope;
  readonly generators: GeneratorRegistry<Snapshot, Client>;
  /** Type URLs in the order in which they are sent; those that it doesn't name come after, in the order of subscribing. */
  readonly pushOrder?: readonly string[];
  readonly debounce?: Partial<DebounceOptions<Request>>;
  /** How many connections may have unsent bytes of a push at the same time. */
  readonly concurrentPushLimit?: number;
  /** Upper bound of new streams a second; more of them wait. Absent: only the time they cost bounds them. */
  readonly maxConnectsPerSecond?: number;
  /** After this time without ACK or NACK an answer counts as lost, so that what waits behind it goes out. */
  readonly ackTimeoutMs?: number;
  /** Streams are refused with UNAVAILABLE while this is false. */
  ready?(): boolean;
  /**
   * What clients report by requests of a type that is no subscription (health of the workload), by type URL. The message
   * is absent where all is well.
   */
  readonly reports?: ReadonlyMap<string, (client: Client, errorMessage: string | undefined) => void>;
  readonly refusals?: Refusals<Client>;
  readonly observe?: XdsObserver<Client, Request>;
  readonly clock?: Clock;
  /** Names this server in its responses (`control_plane.identifier`). */
  readonly controlPlane?: string;
}

/** State of one watched type of a connection, for debugging. */
export interface WatchStatus {
  readonly typeUrl: string;
  readonly wildcard: boolean;
  /** Names that were asked for explicitly. */
  readonly names: readonly string[];
  readonly nonceSent: string;
  readonly nonceAcked: string;
  readonly versionSent: string;
  readonly versionAcked: string;
  /** Of the last answer, ACK and NACK; 0 where there was none. */
  readonly sentAt: number;
  readonly ackedAt: number;
  /** The last refusal, until an answer is accepted. */
  readonly nack: Nack | undefined;
  /** What was last sent, as a whole; empty for types whose content is in no dump. */
  readonly answer: Answer;
}

export interface ConnectionStatus<Client> extends ConnectionRef<Client> {
  readonly connectedAt: number;
  /** Version of the last push that the connection has taken part in. */
  readonly pushVersion: string;
  readonly watched: readonly WatchStatus[];
}
