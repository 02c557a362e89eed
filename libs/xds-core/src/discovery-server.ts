import { randomBytes } from 'node:crypto';
import { Status } from '@kedge/grpc-server';
import { DisposableStore } from '@kedge/incremental';
import { Admission } from './admission.ts';
import type { AdsStream } from './ads-stream.ts';
import { AnswerPool } from './answer-pool.ts';
import { BodyCache } from './body-cache.ts';
import { type Clock, systemClock } from './clock.ts';
import { Connection, type ConnectionHost } from './connection.ts';
import { type Debounced, Debouncer } from './debounce.ts';
import { delta } from './delta-stream.ts';
import type { AdsRequest, Dialect } from './dialect.ts';
import { Differences } from './difference.ts';
import type { XdsEvent } from './events.ts';
import { NameLists } from './name-lists.ts';
import { openStream } from './open-stream.ts';
import type { ConnectionStatus, DiscoveryServerOptions } from './options.ts';
import type { CurrentPush } from './planner.ts';
import { PushScheduler } from './push-scheduler.ts';
import { sotw } from './sotw-stream.ts';
import { SubscriptionPool } from './subscription.ts';
import { pushOrder } from './type-urls.ts';

/** Bytes of response bodies that are kept for further connections, for each protocol. */
const bodyCacheBytes = 64 * 1024 * 1024;

/** How long a slow client counts against the concurrent push limit. */
const slowClientMs = 100;

/** What waits for a connection: everything since its last push. */
interface PendingPush<Request> {
  readonly request: Request;
  readonly queuedAt: number;
  /** When the first change in it was announced. */
  readonly since: number;
}

/**
 * Serves ADS, and pushes what changes: `configUpdate` -> debounce -> push (next snapshot) -> queue, merged by connection ->
 * connection. What the snapshots, clients and requests are is the caller's affair.
 */
export class DiscoveryServer<Snapshot, Client, Request> implements Disposable {
  readonly #options: DiscoveryServerOptions<Snapshot, Client, Request>;
  readonly #clock: Clock;
  readonly #owned = new DisposableStore();
  readonly #debouncer: Debouncer<Request>;
  readonly #scheduler: PushScheduler<Connection<Snapshot, Client, Request>, PendingPush<Request>>;
  readonly #admission: Admission;
  readonly #connections = new Set<Connection<Snapshot, Client, Request>>();
  readonly #lists = new NameLists();
  /** Ends each open stream. */
  readonly #streams = new Set<(reason: string) => void>();
  readonly #host: ConnectionHost<Snapshot, Client, Request>;
  readonly #merge: (earlier: Request, later: Request) => Request;
  #current: CurrentPush<Snapshot>;
  #opened = 0;

  constructor(options: DiscoveryServerOptions<Snapshot, Client, Request>) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#current = currentPush(options.initialSnapshot, 0, this.#clock.now());
    this.#merge = remembering(options.mergeRequests);
    this.#scheduler = this.#owned.add(
      new PushScheduler({
        limit: options.concurrentPushLimit ?? 100,
        slowMs: slowClientMs,
        clock: this.#clock,
        merge: (earlier, later) => ({ ...earlier, request: this.#merge(earlier.request, later.request) }),
        push: (connection, pending) => this.#pushConnection(connection, pending),
      }),
    );
    this.#owned.defer(() => this.#endStreams());
    this.#admission = this.#owned.add(new Admission(options.maxConnectsPerSecond ?? Infinity, this.#clock));
    this.#debouncer = this.#owned.add(
      new Debouncer(
        { afterMs: 100, maxMs: 10_000, immediate: () => false, ...options.debounce },
        options.mergeRequests,
        (debounced) => this.#startPush(debounced),
        this.#clock,
      ),
    );
    this.#host = this.#makeHost();
  }

  /** The snapshot that is served now. */
  get snapshot(): Snapshot {
    return this.#current.snapshot;
  }

  /** Version of the last push, `time/number`. */
  get pushVersion(): string {
    return this.#current.version;
  }

  /** Announces a change; the push comes when things have quietened. */
  configUpdate(request: Request): void {
    if (this.#owned.disposed) return;
    this.#observe({ kind: 'configUpdate', request });
    this.#debouncer.add(request);
  }

  /** Serves a `StreamAggregatedResources` call. */
  streamAggregatedResources(stream: AdsStream): void {
    this.#serve(stream, sotw);
  }

  /** Serves a `DeltaAggregatedResources` call. */
  deltaAggregatedResources(stream: AdsStream): void {
    this.#serve(stream, delta);
  }

  /** State of all connections, in the order in which they were opened. */
  clients(): readonly ConnectionStatus<Client>[] {
    return Array.from(this.#connections, (connection) => connection.status);
  }

  /** What is shared and what waits, for debugging and tests. */
  counters(): {
    readonly differences: number;
    readonly bodyBytes: number;
    readonly queued: number;
    readonly waiting: number;
  } {
    return {
      differences: this.#host.differences.computed,
      bodyBytes: this.#host.bodies.delta.bytes + this.#host.bodies.sotw.bytes,
      queued: this.#scheduler.waiting,
      waiting: this.#admission.waiting,
    };
  }

  /** Ends all streams; the server serves none afterwards. */
  [Symbol.dispose](): void {
    this.#owned[Symbol.dispose]();
  }

  #endStreams(): void {
    for (const end of [...this.#streams]) end('the server is shutting down');
  }

  #startPush({ request, merged, since, quietMs }: Debounced<Request>): void {
    const now = this.#clock.now();
    this.#observe({ kind: 'debounced', request, merged, quietMs, waitedMs: now - since });
    try {
      const snapshot = this.#options.nextSnapshot(this.#current.snapshot, request);
      this.#current = currentPush(snapshot, this.#current.number + 1, now);
    } catch (error) {
      this.#observe({ kind: 'snapshotFailed', request, error });
      return;
    }
    this.#observe({
      kind: 'pushStarted',
      push: this.#current.number,
      version: this.#current.version,
      request,
      connections: this.#connections.size,
      snapshotMs: this.#clock.now() - now,
      debounceMs: now - since,
    });
    const pending = { request, queuedAt: now, since };
    for (const connection of this.#connections) {
      const wasMerged = this.#scheduler.enqueue(connection, pending);
      this.#observe({ kind: 'queued', connection, merged: wasMerged });
    }
  }

  #pushConnection(connection: Connection<Snapshot, Client, Request>, pending: PendingPush<Request>): void {
    const started = this.#clock.now();
    this.#observe({ kind: 'dequeued', connection, queuedMs: started - pending.queuedAt });
    if (!this.#mark(connection, pending)) return;
    connection.push();
    const now = this.#clock.now();
    const push = this.#current.number;
    this.#observe({ kind: 'pushed', connection, push, pushMs: now - started, totalMs: now - pending.since });
  }

  /** @returns whether the push concerns the connection. */
  #mark(connection: Connection<Snapshot, Client, Request>, { request }: PendingPush<Request>): boolean {
    const scope = this.#options.needsPush(connection.client, request, this.#current.snapshot);
    connection.mark(scope);
    if (scope !== 'none') return true;
    this.#observe({ kind: 'skipped', connection, push: this.#current.number });
    return false;
  }

  #serve(stream: AdsStream, dialect: Dialect): void {
    if (this.#owned.disposed || this.#options.ready?.() === false) {
      const reason = 'the server is not ready to serve discovery information';
      this.#observe({ kind: 'rejected', peerAddress: stream.peer.address, reason });
      stream.end({ code: Status.UNAVAILABLE, message: reason });
      return;
    }
    const end = openStream(stream, dialect, {
      lists: this.#lists,
      admit: (start) => this.#admission.enter(start),
      connect: this.#options.connect,
      accept: (first, accepted) => this.#accept(stream, dialect, first, accepted),
      rejected: (reason) => this.#observe({ kind: 'rejected', peerAddress: stream.peer.address, reason }),
      ended: () => this.#streams.delete(end),
      requested: (connection, { typeUrl }, bytes) => this.#observe({ kind: 'request', connection, typeUrl, bytes }),
      closed: (connection, reason) => this.#closed(connection, reason),
    });
    if (!stream.signal.aborted) this.#streams.add(end);
  }

  #accept(
    stream: AdsStream,
    dialect: Dialect,
    { node }: AdsRequest,
    accepted: { readonly client: Client; readonly nodeType: string; readonly generator?: string },
  ): Connection<Snapshot, Client, Request> {
    const nodeId = node?.id ?? '';
    this.#opened += 1;
    const connection = new Connection(
      { ...accepted, nodeId, id: `${nodeId}-${this.#opened}` },
      stream,
      dialect,
      this.#host,
    );
    this.#connections.add(connection);
    this.#observe({ kind: 'opened', connection });
    return connection;
  }

  #closed(connection: Connection<Snapshot, Client, Request>, reason: string): void {
    connection.close();
    this.#connections.delete(connection);
    this.#scheduler.remove(connection);
    this.#options.disconnected?.(connection.client);
    this.#observe({ kind: 'closed', connection, reason, openMs: this.#clock.now() - connection.connectedAt });
  }

  #observe(event: XdsEvent<Client, Request>): void {
    this.#options.observe?.(event);
  }

  #makeHost(): ConnectionHost<Snapshot, Client, Request> {
    const order = new Map((this.#options.pushOrder ?? pushOrder).map((typeUrl, position) => [typeUrl, position]));
    const noncePrefix = randomBytes(6).toString('base64url');
    let nonces = 0;
    return {
      options: this.#options,
      clock: this.#clock,
      ackTimeoutMs: this.#options.ackTimeoutMs ?? 15_000,
      subscriptions: new SubscriptionPool(),
      answers: new AnswerPool(),
      differences: new Differences(),
      bodies: { delta: new BodyCache(bodyCacheBytes), sotw: new BodyCache(bodyCacheBytes) },
      current: () => this.#current,
      nextNonce: () => `${noncePrefix}${(nonces += 1).toString(36)}`,
      rank: (typeUrl) => order.get(typeUrl) ?? order.size,
      observe: (event) => this.#observe(event),
      catchUp: (connection) => {
        const pending = this.#scheduler.take(connection);
        if (pending !== undefined) this.#mark(connection, pending);
      },
      drained: (connection) => this.#scheduler.drained(connection),
    };
  }
}

function currentPush<Snapshot>(snapshot: Snapshot, number: number, startedAt: number): CurrentPush<Snapshot> {
  return { snapshot, number, startedAt, version: `${new Date(startedAt).toISOString()}/${number}` };
}

/** Many connections merge the same two requests: the last result is kept. */
function remembering<Request>(merge: (earlier: Request, later: Request) => Request): typeof merge {
  let last: readonly [earlier: Request, later: Request, merged: Request] | undefined;
  return (earlier, later) => {
    if (last?.[0] !== earlier || last[1] !== later) last = [earlier, later, merge(earlier, later)];
    return last[2];
  };
}
