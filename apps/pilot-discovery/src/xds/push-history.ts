import type { Recomputation } from '@kedge/incremental';
import type { PushRequest, TriggerReason } from '@kedge/model';
import { encodes } from '@kedge/networking';
import type { ConnectionRef, SendReason, XdsEvent } from '@kedge/xds-core';
import type { MeshClient } from './mesh-client.ts';
import { shortType } from './short-type.ts';

/** One answer that a push sent. Times are in milliseconds. */
interface SentAnswer {
  readonly node: string;
  readonly type: string;
  readonly reason: SendReason;
  readonly resources: number;
  readonly removed: number;
  readonly bytes: number;
  /** Since the push was triggered. */
  readonly sentAfterMs: number;
  /** The connection's time in the queue; absent where it was not its turn by the push. */
  readonly queuedMs?: number;
  readonly generateMs: number;
  readonly writeMs: number;
  /** From sending to the ACK; absent until the client accepted it. */
  readonly ackMs?: number;
  readonly refused?: string;
}

/** Which values were computed, and because of which inputs. */
interface Computed {
  readonly query: string;
  readonly count: number;
  /** Milliseconds that they took, without what they read. */
  readonly ownMs: number;
  /** How often for which input; what is left was computed for the first time. */
  readonly causes: Readonly<Record<string, number>>;
  /** Whether each of these is a resource, or a piece of one, that was encoded. */
  readonly encodes: boolean;
  /** Whether each only puts together what others are, so that it takes time in proportion to the mesh. */
  readonly assembles: boolean;
}

/** What became of one push. Times are in milliseconds. */
export interface PushRecord {
  readonly push: number;
  readonly version: string;
  /** When the first of the merged changes arrived, milliseconds since 1970. */
  readonly triggeredAt: number;
  readonly reasons: Readonly<Partial<Record<TriggerReason, number>>>;
  readonly changes: readonly string[];
  readonly debounceMs: number;
  readonly snapshotMs: number;
  readonly connections: number;
  /** From this push to the next. */
  readonly computed: readonly Computed[];
  readonly sent: readonly SentAnswer[];
  /** Nodes that the push didn't concern. */
  readonly skipped: readonly string[];
  /** Answers that were generated and came out the same, as `node type`. */
  readonly unchanged: readonly string[];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface OpenRecord extends PushRecord {
  computed: readonly Computed[];
  readonly sent: Mutable<SentAnswer>[];
  readonly skipped: string[];
  readonly unchanged: string[];
}

type Event<K extends XdsEvent<MeshClient, PushRequest>['kind']> = Extract<
  XdsEvent<MeshClient, PushRequest>,
  { readonly kind: K }
>;

const MOST_PUSHES = 100;
/** Lists in a record are cut at this length; the newest pushes to thousands of proxies stay readable. */
const MOST_ENTRIES = 1000;
/** In all records together, which bounds the memory. */
const MOST_ENTRIES_IN_ALL = 20_000;

/** Remembers the last pushes: what triggered them, what was computed for them, and what was sent to whom. */
export class PushHistory {
  readonly #takeComputed: () => readonly Recomputation[];
  readonly #records: OpenRecord[] = [];
  /** The last answer of each type, by type URL, until it is accepted or refused; a connection has one under way. */
  readonly #open = new WeakMap<ConnectionRef<MeshClient>, Map<string, Mutable<SentAnswer>>>();
  /** The connection whose turn it is, and how long it waited for that. */
  #turn: { readonly id: string; readonly queuedMs: number } | undefined;

  /** @param takeComputed what was computed since it was last asked. */
  constructor(takeComputed: () => readonly Recomputation[]) {
    this.#takeComputed = takeComputed;
  }

  /** The last pushes, the newest first. */
  list(): readonly PushRecord[] {
    this.#noteComputed();
    return this.#records.toReversed();
  }

  observe(event: XdsEvent<MeshClient, PushRequest>): void {
    switch (event.kind) {
      case 'debounced':
        // What is computed from here on is for the next push.
        this.#noteComputed();
        break;
      case 'pushStarted':
        this.#start(event);
        break;
      case 'dequeued':
        this.#turn = { id: event.connection.id, queuedMs: event.queuedMs };
        break;
      case 'pushed':
        this.#turn = undefined;
        break;
      case 'sent':
        this.#sent(event);
        break;
      case 'ack': {
        const answer = this.#settled(event);
        if (answer) answer.ackMs = event.afterMs;
        break;
      }
      case 'nack': {
        const answer = this.#settled(event);
        if (answer) answer.refused = event.nack.message;
        break;
      }
      case 'skipped':
        this.#turn = undefined;
        add(this.#find(event.push)?.skipped, event.connection.nodeId);
        break;
      case 'unchanged':
        add(this.#find(event.push)?.unchanged, `${event.connection.nodeId} ${shortType(event.typeUrl)}`);
        break;
      default:
        break;
    }
  }

  #start({ push, version, request, connections, debounceMs, snapshotMs }: Event<'pushStarted'>): void {
    this.#records.push({
      push,
      version,
      triggeredAt: request.start,
      reasons: Object.fromEntries(request.reason),
      changes: [...request.configsUpdated.keys()].slice(0, MOST_ENTRIES),
      debounceMs,
      snapshotMs,
      connections,
      computed: [],
      sent: [],
      skipped: [],
      unchanged: [],
    });
    let entries = 0;
    const kept = this.#records.findLastIndex((record) => {
      entries += record.changes.length + record.sent.length + record.skipped.length + record.unchanged.length;
      return entries > MOST_ENTRIES_IN_ALL;
    });
    this.#records.splice(0, Math.max(kept + 1, this.#records.length - MOST_PUSHES));
  }

  #sent(event: Event<'sent'>): void {
    this.#settled(event);
    const record = this.#find(event.push);
    if (!record || event.reason === 'request') return;
    const { connection, typeUrl, reason, resources, removed, bytes, generateMs, writeMs } = event;
    const queuedMs = reason === 'push' && this.#turn?.id === connection.id ? this.#turn.queuedMs : undefined;
    const answer = {
      node: connection.nodeId,
      type: shortType(typeUrl),
      reason,
      resources,
      removed,
      bytes,
      sentAfterMs: Date.now() - record.triggeredAt,
      ...(queuedMs === undefined ? {} : { queuedMs }),
      generateMs,
      writeMs,
    };
    if (!add(record.sent, answer)) return;
    const open = this.#open.get(connection);
    if (open) open.set(typeUrl, answer);
    else this.#open.set(connection, new Map([[typeUrl, answer]]));
  }

  /** What is settled, be it by another one that takes its place. */
  #settled({
    connection,
    typeUrl,
  }: Pick<Event<'sent' | 'ack' | 'nack'>, 'connection' | 'typeUrl'>): Mutable<SentAnswer> | undefined {
    const open = this.#open.get(connection);
    const answer = open?.get(typeUrl);
    open?.delete(typeUrl);
    return answer;
  }

  #noteComputed(): void {
    const taken = this.#takeComputed();
    const record = this.#records.at(-1);
    if (record && taken.length > 0) record.computed = joined(record.computed, taken);
  }

  #find(push: number): OpenRecord | undefined {
    return this.#records.findLast((record) => record.push === push);
  }
}

/** @returns whether there was room for it. */
function add<T>(list: T[] | undefined, entry: T): boolean {
  if (!list || list.length >= MOST_ENTRIES) return false;
  list.push(entry);
  return true;
}

function joined(known: readonly Computed[], taken: readonly Recomputation[]): readonly Computed[] {
  const all = new Map(known.map((one) => [one.query, one]));
  for (const { query, count, ownMs, causes, assembles } of taken) {
    const before = all.get(query) ?? { count: 0, ownMs: 0, causes: {} };
    const sums: Record<string, number> = { ...before.causes };
    for (const [cause, times] of causes) sums[cause] = (sums[cause] ?? 0) + times;
    all.set(query, {
      query,
      count: before.count + count,
      ownMs: before.ownMs + ownMs,
      causes: sums,
      encodes: encodes(query),
      assembles,
    });
  }
  return [...all.values()].sort((a, b) => causedCount(b) - causedCount(a) || b.count - a.count);
}

/** What follows from a change is more telling than what was computed for the first time. */
const causedCount = ({ causes }: Computed): number => Object.values(causes).reduce((sum, count) => sum + count, 0);
