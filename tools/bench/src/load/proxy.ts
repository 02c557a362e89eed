import type { ShortType } from '../mesh/changes.ts';
import { GrpcStream } from './grpc-stream.ts';
import type { ProxyIdentity } from './node.ts';
import { type Dialect, type Response, type TypeState } from './dialect.ts';
import { Held } from './held.ts';
import { difference } from './names.ts';
import type { ResourceReader } from './resources.ts';

/** Messages and bytes received of a type, and bytes of the requests for it. */
export interface Traffic {
  messages: number;
  bytes: number;
  sentBytes: number;
}

export interface ProxyOptions {
  readonly port: number;
  readonly identity: ProxyIdentity;
  readonly dialect: Dialect;
  readonly reader: ResourceReader;
}

const RECONNECT_MS = 100;
const order: readonly ShortType[] = ['CDS', 'EDS', 'LDS', 'RDS'];

/** Milliseconds since 1970, with fractions. */
export const now = (): number => performance.timeOrigin + performance.now();

/** Asks for what Envoy asks for, in its order, acknowledges all of it, and connects again when the stream ends. */
export class Proxy {
  readonly namespace: string;
  readonly startedAt = now();
  /** When it had all that it asked for; 0 before. */
  readyAt = 0;
  /** When it received the change that is waited for; 0 before. */
  markedAt = 0;
  lastMessageAt = 0;
  connects = 0;
  /** Why the last stream ended. */
  ended = '';
  readonly traffic: Readonly<Record<ShortType, Traffic>> = perType(() => ({ messages: 0, bytes: 0, sentBytes: 0 }));
  readonly #options: ProxyOptions;
  readonly #states: Readonly<Record<ShortType, TypeState>> = perType(newState);
  #stream: GrpcStream | undefined;
  #nodeSent = false;
  #closed = false;

  constructor(options: ProxyOptions) {
    this.#options = options;
    this.namespace = options.identity.namespace;
    this.#connect();
  }

  close(): void {
    this.#closed = true;
    this.#stream?.close();
  }

  #connect(): void {
    if (this.#closed) return;
    const { port, dialect } = this.#options;
    this.#nodeSent = false;
    this.#stream = new GrpcStream(port, dialect.path, {
      connected: () => (this.connects += 1),
      message: (bytes) => this.#receive(bytes),
      closed: (reason) => {
        this.ended = reason;
        setTimeout(() => this.#connect(), RECONNECT_MS);
      },
    });
    const watched = order.filter((type) => this.#states[type].requested);
    for (const type of watched) this.#states[type].nonce = '';
    if (watched.length === 0) this.#request('CDS');
    for (const type of watched) this.#send(type, dialect.resume(type, this.#states[type], this.#node()));
  }

  /** Node is sent once a stream. */
  #node(): Buffer | undefined {
    if (this.#nodeSent) return undefined;
    this.#nodeSent = true;
    return this.#options.identity.node;
  }

  #request(type: ShortType, added: readonly string[] = [], taken: readonly string[] = []): void {
    const state = this.#states[type];
    state.requested = true;
    this.#send(type, this.#options.dialect.request(type, state, { node: this.#node(), added, taken }));
  }

  #send(type: ShortType, message: Buffer): void {
    this.traffic[type].sentBytes += message.length;
    this.#stream?.send(message);
  }

  #receive(bytes: Buffer): void {
    const response = this.#options.dialect.response(bytes);
    const { type } = response;
    this.lastMessageAt = now();
    this.traffic[type].messages += 1;
    this.traffic[type].bytes += bytes.length;
    const state = this.#states[type];
    state.nonce = response.nonce;
    state.version = response.version;
    const changed = this.#take(state, response, bytes);
    this.#send(type, this.#options.dialect.acknowledge(type, state));
    this.#follow(type, changed);
    if (this.readyAt === 0 && this.#isReady()) this.readyAt = now();
  }

  /** Holds what the response brings. @returns whether anything changed. */
  #take(state: TypeState, { type, runs, removed }: Response, bytes: Buffer): boolean {
    const { reader, dialect } = this.#options;
    const read = runs.map((run) => reader.read(type, bytes, run));
    const { to, changed, marked } = state.held.take(read, removed, dialect.isComplete(type));
    state.held = to;
    if (marked && this.markedAt === 0) this.markedAt = this.lastMessageAt;
    return changed;
  }

  /** Asks for what the resources of a type refer to. */
  #follow(type: ShortType, changed: boolean): void {
    const { CDS, EDS, LDS, RDS } = this.#states;
    if (type === 'CDS' && (changed || !EDS.requested)) {
      this.#subscribe('EDS', CDS.held.references, this.#options.dialect.repeatsSubscriptions);
    } else if (type === 'EDS' && !LDS.requested) {
      this.#request('LDS');
    } else if (type === 'LDS' && changed) {
      const routes = LDS.held.references;
      if (routes.size > 0 || RDS.requested) this.#subscribe('RDS', routes, false);
    }
  }

  #subscribe(type: ShortType, wanted: ReadonlySet<string>, always: boolean): void {
    const state = this.#states[type];
    const { added, taken } = difference(state.wanted, wanted);
    if (added.length + taken.length === 0 && !always) return;
    state.held = state.held.without(taken);
    state.wanted = wanted;
    this.#request(type, added, taken);
  }

  #isReady(): boolean {
    return (
      this.traffic.CDS.messages > 0 &&
      this.traffic.LDS.messages > 0 &&
      order.every((type) => this.#states[type].held.covers(this.#states[type].wanted))
    );
  }
}

const noNames: ReadonlySet<string> = new Set();

function newState(): TypeState {
  return {
    held: Held.nothing,
    wanted: noNames,
    requested: false,
    nonce: '',
    version: '',
  };
}

function perType<T>(make: () => T): Readonly<Record<ShortType, T>> {
  return { CDS: make(), EDS: make(), LDS: make(), RDS: make() };
}
