import type { PushRequest } from '@kedge/model';
import type { Logger } from '@kedge/observability';
import type { XdsEvent } from '@kedge/xds-core';
import type { MeshClient } from './mesh-client.ts';
import { someOf } from './some-of.ts';
import { shortType } from './short-type.ts';

/** How long answers of a type are gathered into one line, in milliseconds. */
const GATHER_MS = 100;

type Sent = Pick<
  Extract<XdsEvent<MeshClient, PushRequest>, { readonly kind: 'sent' }>,
  'typeUrl' | 'reason' | 'resources' | 'removed' | 'bytes'
> & { readonly connection: { readonly nodeId: string } };

interface Line {
  readonly nodes: string[];
  resources: number;
  removed: number;
  bytes: number;
}

/**
 * Logs answers that were sent: those of a type that are sent for one reason within a moment in one line, as a line for each
 * of thousands of proxies costs more than what it tells. At debug level each has its own.
 */
export class SentLog implements Disposable {
  readonly #log: Logger;
  /** By type and reason. */
  readonly #lines = new Map<string, Line & Pick<Sent, 'typeUrl' | 'reason'>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  add({ connection: { nodeId }, typeUrl, reason, resources, removed, bytes }: Sent): void {
    const key = `${typeUrl} ${reason}`;
    let line = this.#lines.get(key);
    if (!line) this.#lines.set(key, (line = { typeUrl, reason, nodes: [], resources: 0, removed: 0, bytes: 0 }));
    line.nodes.push(nodeId);
    line.resources += resources;
    line.removed += removed;
    line.bytes += bytes;
    if (this.#log.enabled('debug')) this.#write();
    else this.#timer ??= setTimeout(() => this.#write(), GATHER_MS);
  }

  [Symbol.dispose](): void {
    this.#write();
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const { typeUrl, reason, nodes, resources, removed, bytes } of this.#lines.values()) {
      const answers = nodes.length > 1 ? { answers: nodes.length } : {};
      const type = shortType(typeUrl).toUpperCase();
      this.#log.info(`${type}: sent to ${someOf(nodes)}`, { ...answers, resources, removed, bytes, reason });
    }
    this.#lines.clear();
  }
}
