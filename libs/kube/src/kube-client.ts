import { type KubeObject, type ObjectPlace, pathOf, type ResourceType } from './resource-type.ts';
import { KubeError } from './kube-error.ts';
import type { Method, Send } from './send.ts';

/** Which objects of a type are meant; all where nothing is said. */
export interface Selection {
  readonly namespace?: string;
  /** As `metadata.name=web`. */
  readonly fieldSelector?: string;
}

/** The objects of a selection at one moment. */
export interface ObjectList<T> {
  readonly items: readonly T[];
  /** Where a watch has to go on. */
  readonly resourceVersion: string;
}

export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  /** A `Status` where the type is ERROR. */
  readonly object: T;
}

export interface WatchOptions<T> {
  readonly resourceVersion: string;
  readonly signal: AbortSignal;
  readonly onEvent: (event: WatchEvent<T>) => void;
}

const PAGE = 500;
const WATCH_SECONDS = 300;

/** Reads and writes objects of a cluster. What the API server refuses rejects with a {@link KubeError}. */
export class KubeClient {
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  /** @returns undefined where there is no such object. */
  async get<T extends KubeObject>(type: ResourceType<T>, place: Required<ObjectPlace>): Promise<T | undefined> {
    const { status, body } = await this.#send({ method: 'GET', path: pathOf(type, place) });
    return status === 404 ? undefined : answerOf<T>(status, body);
  }

  async list<T extends KubeObject>(type: ResourceType<T>, selection: Selection = {}): Promise<ObjectList<T>> {
    const items: T[] = [];
    let next: string | undefined;
    for (;;) {
      const path = collectionPath(type, selection, { limit: `${PAGE}`, ...(next ? { continue: next } : {}) });
      const { status, body } = await this.#send({ method: 'GET', path });
      const page = answerOf<ListPage<T>>(status, body);
      items.push(...page.items);
      next = page.metadata.continue;
      if (!next) return { items, resourceVersion: page.metadata.resourceVersion ?? '' };
    }
  }

  /** Tells what happens to the objects, until the API server has enough of it, which it soon has. */
  async watch<T extends KubeObject>(
    type: ResourceType<T>,
    selection: Selection,
    { resourceVersion, signal, onEvent }: WatchOptions<T>,
  ): Promise<void> {
    const path = collectionPath(type, selection, {
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion,
      timeoutSeconds: `${WATCH_SECONDS}`,
    });
    // A server that is gone without a word would be waited for in vain.
    const late = AbortSignal.timeout((WATCH_SECONDS + 30) * 1000);
    const { status, body } = await this.#send({
      method: 'GET',
      path,
      signal: AbortSignal.any([signal, late]),
      onLine: (line) => onEvent(JSON.parse(line) as WatchEvent<T>),
    });
    if (status !== 200) throw new KubeError(status, body);
  }

  create<T extends KubeObject>(type: ResourceType<T>, object: T): Promise<T> {
    const { namespace } = object.metadata ?? {};
    return this.#write('POST', pathOf(type, { namespace }), type, object);
  }

  /** Replaces an object. Rejects with code 409 where it has changed since its `resourceVersion`. */
  update<T extends KubeObject>(type: ResourceType<T>, object: T): Promise<T> {
    const { name, namespace } = object.metadata ?? {};
    return this.#write('PUT', pathOf(type, { name, namespace }), type, object);
  }

  async #write<T extends KubeObject>(
    method: Method,
    path: string,
    { apiVersion, kind }: ResourceType<T>,
    object: T,
  ): Promise<T> {
    const answer = await this.#send({ method, path, body: JSON.stringify({ apiVersion, kind, ...object }) });
    return answerOf<T>(answer.status, answer.body);
  }
}

function answerOf<T>(status: number, body: string): T {
  if (status >= 200 && status < 300) return JSON.parse(body) as T;
  throw new KubeError(status, body);
}

interface ListPage<T> {
  readonly items: readonly T[];
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
}

function collectionPath(
  type: ResourceType<KubeObject>,
  { namespace, fieldSelector }: Selection,
  parameters: Readonly<Record<string, string>>,
): string {
  const query = new URLSearchParams({ ...parameters, ...(fieldSelector ? { fieldSelector } : {}) });
  return `${pathOf(type, { namespace })}?${query.toString()}`;
}
