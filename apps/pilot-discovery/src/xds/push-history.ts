import type { PushRequest } from '@kedge/model';
import type { XdsEvent } from '@kedge/xds-core';
import type { MeshClient } from './mesh-client.ts';
import { shortType } from './short-type.ts';

/** One answer that a push sent. Times are in milliseconds since the push was triggered. */
export interface SentAnswer {
  readonly node: string;
  readonly type: string;
  readonly resources: number;
  readonly removed: number;
  readonly bytes: number;
  readonly sentAfterMs: number;
  /** Absent until the client accepted it. */
  readonly ackedAfterMs?: number;
  readonly refused?: string;
}

/** What became of one push. */
export interface PushRecord {
  readonly push: number;
  readonly version: string;
  /** When the first of the merged changes arrived, milliseconds since 1970. */
  readonly triggeredAt: number;
  readonly changes: readonly string[];
  readonly debounceMs: number;
  readonly snapshotMs: number;
  readonly connections: number;
  readonly sent: readonly SentAnswer[];
  /** Nodes that the push didn't concern. */
  readonly skipped: readonly string[];
  /** Answers that were generated and came out the same, as `node type`. */
  readonly unchanged: readonly string[];
}

interface OpenRecord extends PushRecord {
  readonly sent: SentAnswer[];
  readonly skipped: string[];
  readonly unchanged: string[];
}

const MOST_PUSHES = 100;
/** Lists in a record are cut at this length; the newest pushes to thousands of proxies stay readable. */
const MOST_ENTRIES = 1000;

/** Remembers the last pushes: what triggered them, and what was sent to whom. */
export class PushHistory {
  readonly #records: OpenRecord[] = [];

  /** The last pushes, the newest first. */
  list(): readonly PushRecord[] {
    return this.#records.toReversed();
  }

  observe(event: XdsEvent<MeshClient, PushRequest>): void {
    switch (event.kind) {
      case 'pushStarted':
        this.#open(event);
        break;
      case 'sent': {
        const record = this.#find(event.push);
        if (!record || event.reason === 'request') break;
        const { typeUrl, resources, removed, bytes } = event;
        const sentAfterMs = Date.now() - record.triggeredAt;
        add(record.sent, {
          node: event.connection.nodeId,
          type: shortType(typeUrl),
          resources,
          removed,
          bytes,
          sentAfterMs,
        });
        break;
      }
      case 'ack':
      case 'nack':
        this.#settle(event);
        break;
      case 'skipped':
        addTo(this.#find(event.push)?.skipped, event.connection.nodeId);
        break;
      case 'unchanged':
        addTo(this.#find(event.push)?.unchanged, `${event.connection.nodeId} ${shortType(event.typeUrl)}`);
        break;
      default:
        break;
    }
  }

  #open({
    push,
    version,
    request,
    connections,
    debounceMs,
    snapshotMs,
  }: Extract<XdsEvent<MeshClient, PushRequest>, { readonly kind: 'pushStarted' }>): void {
    const changes = [...request.configsUpdated.keys()].slice(0, MOST_ENTRIES);
    const triggeredAt = request.start;
    this.#records.push({
      push,
      version,
      triggeredAt,
      changes,
      debounceMs,
      snapshotMs,
      connections,
      sent: [],
      skipped: [],
      unchanged: [],
    });
    if (this.#records.length > MOST_PUSHES) this.#records.shift();
  }

  /** Notes how the client took the last answer of that type. */
  #settle(event: Extract<XdsEvent<MeshClient, PushRequest>, { readonly kind: 'ack' | 'nack' }>): void {
    const type = shortType(event.typeUrl);
    for (const record of this.#records.toReversed()) {
      const at = record.sent.findLastIndex(({ node, type: sent }) => node === event.connection.nodeId && sent === type);
      const answer = record.sent[at];
      if (!answer) continue;
      if (answer.ackedAfterMs === undefined && answer.refused === undefined) {
        const outcome =
          event.kind === 'ack' ? { ackedAfterMs: Date.now() - record.triggeredAt } : { refused: event.nack.message };
        record.sent[at] = { ...answer, ...outcome };
      }
      return;
    }
  }

  #find(push: number): OpenRecord | undefined {
    return this.#records.findLast((record) => record.push === push);
  }
}

function add<T>(list: T[], entry: T): void {
  if (list.length < MOST_ENTRIES) list.push(entry);
}

function addTo<T>(list: T[] | undefined, entry: T): void {
  if (list) add(list, entry);
}
