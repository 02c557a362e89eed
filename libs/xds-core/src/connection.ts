import type { AdsStream } from './ads-stream.ts';
import { Answer, type Held } from './answer.ts';
import type { BodyCache } from './body-cache.ts';
import { type AdsRequest, type Content, type Dialect, oneShotSubscription } from './dialect.ts';
import { requiredBy } from './difference.ts';
import type { ConnectionRef, Protocol, SendReason } from './events.ts';
import type { ClientClass } from './generator-registry.ts';
import { nackOf } from './nack.ts';
import type { ConnectionStatus, JudgedAnswer, PushScope, WatchStatus } from './options.ts';
import { Planner, type PlannerHost, type Step } from './planner.ts';
import { frameHeader } from './response-framing.ts';
import type { SubscriptionPool } from './subscription.ts';
import { isSensitive } from './type-urls.ts';
import type { InFlight, WatchedResource } from './watched-resource.ts';

/** The current push, and what its connections share. */
export interface ConnectionHost<Snapshot, Client, Request> extends PlannerHost<Snapshot, Client, Request> {
  readonly ackTimeoutMs: number;
  readonly subscriptions: SubscriptionPool;
  readonly bodies: Readonly<Record<Protocol, BodyCache>>;
  nextNonce(): string;
  /** Position of a type in the push order. */
  rank(typeUrl: string): number;
  /** Marks on the connection what a push that waits for it may have changed, since it is answered out of turn. */
  catchUp(connection: Connection<Snapshot, Client, Request>): void;
  /** The client takes bytes again. */
  drained(connection: Connection<Snapshot, Client, Request>): void;
}

/** An accepted stream: what the client watches, and how it is brought to what it should hold. */
export class Connection<Snapshot, Client, Request> implements ConnectionRef<Client> {
  readonly id: string;
  readonly nodeId: string;
  readonly client: Client;
  readonly protocol: Protocol;
  readonly peerAddress: string;
  readonly connectedAt: number;
  readonly #stream: AdsStream;
  readonly #dialect: Dialect;
  readonly #host: ConnectionHost<Snapshot, Client, Request>;
  readonly #planner: Planner<Snapshot, Client, Request>;
  /** By type URL, in push order. */
  #watches: ReadonlyMap<string, WatchedResource> = new Map();
  /** What must follow sent resources, of types that the client doesn't watch yet but may hold from an earlier stream. */
  readonly #owed = new Map<string, readonly (readonly string[])[]>();
  #reconnected = false;
  #full = false;
  #pushVersion: string;
  #timer: Disposable | undefined;
  /** When the timer goes off; Infinity where there is none. */
  #wakesAt = Infinity;
  #closed = false;

  constructor(
    identity: { readonly id: string; readonly nodeId: string; readonly client: Client } & ClientClass,
    stream: AdsStream,
    dialect: Dialect,
    host: ConnectionHost<Snapshot, Client, Request>,
  ) {
    this.id = identity.id;
    this.nodeId = identity.nodeId;
    this.client = identity.client;
    this.protocol = dialect.protocol;
    this.peerAddress = stream.peer.address;
    this.#stream = stream;
    this.#dialect = dialect;
    this.#host = host;
    this.connectedAt = host.clock.now();
    this.#pushVersion = host.current().version;
    this.#planner = new Planner(this, identity, dialect, host, () => this.#mayStillWatch);
    stream.onDrain(() => this.#drained());
  }

  /** Whether the client takes no bytes at the moment. */
  get full(): boolean {
    return this.#full;
  }

  get status(): ConnectionStatus<Client> {
    const { id, nodeId, client, protocol, peerAddress, connectedAt } = this;
    const watched = [...this.#watches.values()].map(statusOf);
    return { id, nodeId, client, protocol, peerAddress, connectedAt, pushVersion: this.#pushVersion, watched };
  }

  request(request: AdsRequest): void {
    const { typeUrl, error } = request;
    const report = this.#host.options.reports?.get(typeUrl);
    if (report !== undefined) {
      report(this.client, error?.message);
      return;
    }
    const generator = this.#planner.generator(typeUrl);
    if (generator === undefined) {
      this.#host.observe({ kind: 'unknownType', connection: this, typeUrl });
    } else if (generator.oneShot === true) {
      if (request.nonce === '' && error === undefined) this.#answerOnce(request);
    } else {
      const watch = this.#watches.get(typeUrl);
      const settled = watch === undefined ? this.#begin(request) : this.#continue(watch, request);
      this.#advance(settled ? 'acknowledged' : 'request');
    }
  }

  /** Marks what a push may have changed, without sending. */
  mark(scope: PushScope): void {
    this.#pushVersion = this.#host.current().version;
    if (scope === 'none') return;
    for (const watch of this.#watches.values()) if (scope === 'all' || scope.has(watch.typeUrl)) watch.due = true;
  }

  /** Sends what is due, as far as the client takes it. */
  push(): void {
    this.#advance('push');
  }

  close(): void {
    this.#closed = true;
    this.#timer?.[Symbol.dispose]();
    this.#host.options.refusals?.closed(this);
  }

  #begin(request: AdsRequest): false {
    const { typeUrl } = request;
    const watch = this.#dialect.begin(request, this.#host.subscriptions);
    this.#reconnected ||= watch.held.size > 0;
    // What isn't held is asked for anyway.
    const owed = watch.held.size > 0 ? (this.#owed.get(typeUrl) ?? []) : [];
    watch.ask(owed.flat().filter((name) => watch.subscription.includes(name)));
    this.#owed.delete(typeUrl);
    const watches = [...this.#watches, [typeUrl, watch] as const];
    this.#watches = new Map(watches.sort(([a], [b]) => this.#host.rank(a) - this.#host.rank(b)));
    return false;
  }

  /** Takes a further request for a type. @returns whether it accepts or refuses what was in flight. */
  #continue(watch: WatchedResource, request: AdsRequest): boolean {
    const { typeUrl, nonce } = request;
    const stale = nonce !== '' && nonce !== watch.nonceSent;
    if (stale) this.#host.observe({ kind: 'staleNonce', connection: this, typeUrl, nonce });
    // A stale request settles nothing, but its names count: one that is given up and taken again is needed anew.
    this.#dialect.resubscribe(watch, request, this.#host.subscriptions);
    return !stale && nonce !== '' && this.#settle(watch, request);
  }

  #settle(watch: WatchedResource, { typeUrl, nonce, error }: AdsRequest): boolean {
    const { refusals } = this.#host.options;
    const at = this.#host.clock.now();
    const { held } = watch;
    if (error !== undefined) {
      const nack = nackOf(error, at);
      const refused = watch.refuse(nack);
      if (refused && refusals?.refused(this, typeUrl, judged(refused, held), nack)) watch.due = true;
      this.#host.observe({ kind: 'nack', connection: this, typeUrl, nonce, nack });
      return true;
    }
    const accepted = watch.acknowledge(at);
    if (accepted === undefined) return false;
    const { push, sentAt } = accepted;
    if (refusals?.accepted(this, typeUrl, judged(accepted, held))) watch.due = true;
    this.#host.observe({ kind: 'ack', connection: this, typeUrl, nonce, push, afterMs: at - sentAt });
    return true;
  }

  #answerOnce(request: AdsRequest): void {
    const { typeUrl } = request;
    const answer = this.#planner.generate(typeUrl, oneShotSubscription(request, this.#host.subscriptions));
    if (answer === undefined) return;
    const { resources } = answer;
    const content = { resources, removed: [], fresh: [], sharedBy: undefined };
    this.#write(typeUrl, this.#host.current().version, this.#host.nextNonce(), content);
    // Nothing else bounds how many of these a client has under way.
    if (this.#full) this.#stream.pause();
  }

  #drained(): void {
    if (!this.#full || this.#closed) return;
    this.#full = false;
    this.#stream.resume();
    this.#advance('drained');
    if (!this.#full) this.#host.drained(this);
  }

  /** Goes through what is due, in push order, until nothing more can be sent. */
  #advance(reason: SendReason): void {
    if (this.#closed || this.#full) return;
    this.#host.catchUp(this);
    let sent = true;
    while (sent) {
      sent = false;
      for (const watch of this.#watches.values()) {
        if (watch.due && !this.#full && this.#trySend(watch, reason)) sent = true;
      }
    }
    this.#armTimer();
  }

  #trySend(watch: WatchedResource, reason: SendReason): boolean {
    if (watch.inFlight !== undefined) {
      if (!watch.wanting && !this.#planner.isAhead(watch, true)) watch.due = false;
      return false;
    }
    if (this.#planner.waitsUntil(watch, this.#watches) > this.#host.clock.now()) return false;
    const step = this.#planner.plan(watch, this.#watches);
    if (step === undefined) return false;
    this.#send(watch, step, reason);
    return true;
  }

  #send(watch: WatchedResource, step: Step, reason: SendReason): void {
    const { clock } = this.#host;
    const push = this.#host.current();
    const { difference, content, partial, generateMs } = step;
    const { typeUrl, subscription } = watch;
    const nonce = this.#host.nextNonce();
    const version = this.#dialect.version(watch, difference, push.version);
    const sentAt = clock.now();
    watch.sent({ nonce, version, push: push.number, sentAt, target: difference.to, subscription, content, partial });
    watch.due = step.keepsRemoved;
    const bytes = this.#write(typeUrl, version, nonce, content);
    this.#host.observe({
      kind: 'sent',
      connection: this,
      push: push.number,
      typeUrl,
      nonce,
      version,
      reason,
      resources: content.resources.length,
      removed: content.removed.length,
      bytes,
      generateMs,
      writeMs: clock.now() - sentAt,
    });
    this.#require(content.fresh === difference.changed ? difference.required : requiredBy(content.fresh));
  }

  /** Has what Envoy waits for sent again. */
  #require(required: ReadonlyMap<string, readonly string[]>): void {
    for (const [typeUrl, names] of required) {
      const watch = this.#watches.get(typeUrl);
      if (watch !== undefined) {
        const subscribed = names.filter((name) => watch.subscription.includes(name));
        if (subscribed.length > 0) watch.ask(subscribed);
      } else {
        this.#owed.set(typeUrl, joined([...(this.#owed.get(typeUrl) ?? []), names]));
      }
    }
  }

  #write(typeUrl: string, version: string, nonce: string, content: Content): number {
    const controlPlane = this.#host.options.controlPlane ?? '';
    const header = frameHeader(this.protocol, { version, typeUrl, nonce, controlPlane });
    const bodies = isSensitive(typeUrl) ? undefined : this.#host.bodies[this.protocol];
    const frame = () => this.#dialect.frameBody(content, bodies?.runs);
    const body = bodies && content.sharedBy ? bodies.get(content.sharedBy, frame) : frame();
    this.#full = !this.#stream.write(header, ...body.chunks);
    return header.length + body.bytes;
  }

  /** Whether a reconnected client may not yet have asked for all that it watches. */
  get #mayStillWatch(): boolean {
    return this.#reconnected && this.#host.clock.now() < this.connectedAt + this.#host.ackTimeoutMs;
  }

  /** Wakes up when something that waits for the client has waited long enough. A timer that is too early arms itself anew. */
  #armTimer(): void {
    const now = this.#host.clock.now();
    let next = Infinity;
    for (const watch of this.#watches.values()) if (watch.due) next = Math.min(next, this.#deadline(watch, now));
    if (next >= this.#wakesAt) return;
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.#host.clock.after(Math.max(next - now, 0), () => this.#timeout());
    this.#wakesAt = next;
  }

  /** When to look again at something that is due and can't be sent now. */
  #deadline(watch: WatchedResource, now: number): number {
    if (watch.inFlight !== undefined) return watch.inFlight.sentAt + this.#host.ackTimeoutMs;
    const until = this.#planner.waitsUntil(watch, this.#watches);
    if (until > now) return until;
    return this.#mayStillWatch ? this.connectedAt + this.#host.ackTimeoutMs : Infinity;
  }

  #timeout(): void {
    this.#wakesAt = Infinity;
    const now = this.#host.clock.now();
    for (const watch of this.#watches.values()) {
      const { due, inFlight, typeUrl } = watch;
      if (!due || inFlight === undefined || inFlight.sentAt + this.#host.ackTimeoutMs > now) continue;
      this.#host.observe({ kind: 'ackTimeout', connection: this, typeUrl, nonce: inFlight.nonce });
      watch.lose();
    }
    this.#advance('acknowledged');
  }
}

const judged = ({ content, push }: InFlight, held: Held): JudgedAnswer => ({ sent: content.resources, held, push });

/** Few lists as they are, since most are shared among connections; many of them as one. */
function joined(lists: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return lists.length <= 8 ? lists : [[...new Set(lists.flat())]];
}

function statusOf(watch: WatchedResource): WatchStatus {
  const { typeUrl, subscription, latest, nack } = watch;
  const { nonceSent, nonceAcked, versionSent, versionAcked, sentAt, ackedAt } = watch;
  const { wildcard, names } = subscription;
  const answer = latest instanceof Answer && !isSensitive(typeUrl) ? latest : Answer.empty;
  return {
    typeUrl,
    wildcard,
    names,
    nonceSent,
    nonceAcked,
    versionSent,
    versionAcked,
    sentAt,
    ackedAt,
    nack,
    answer,
  };
}
