import { setTimeout as delay } from 'node:timers/promises';
import type { KubeClient, Selection, WatchEvent } from './kube-client.ts';
import { KubeError } from './kube-error.ts';
import type { KubeObject, ResourceType } from './resource-type.ts';

export interface ObjectCacheOptions<T extends KubeObject> {
  readonly client: KubeClient;
  readonly type: ResourceType<T>;
  readonly selection?: Selection;
  /** What is kept of an object, beside its name and version; all of it where this is absent. */
  readonly keep?: (object: T) => T;
  /** Told of each object that is another than before, also of those that are there at the start. */
  readonly changed: (change: ObjectChange<T>) => void;
  /** Told why the objects aren't followed for the moment. */
  readonly report: (problem: string) => void;
}

/** It was made where `old` is absent, and deleted where `new` is. */
export interface ObjectChange<T> {
  readonly old?: T | undefined;
  readonly new?: T | undefined;
}

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 30_000;
/** A server that ends watches as they begin is not asked more often. */
const SHORTEST_WATCH_MS = 1000;

/** Keeps the objects of a selection as the API server has them: lists them, watches, and lists again where it lost track. */
export class ObjectCache<T extends KubeObject> implements Disposable {
  /** Resolves when the objects have been listed for the first time. */
  readonly synced: Promise<void>;
  readonly #options: ObjectCacheOptions<T>;
  readonly #stop = new AbortController();
  #objects = new Map<string, T>();
  #resourceVersion: string | undefined;

  constructor(options: ObjectCacheOptions<T>) {
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.synced = promise;
    void this.#run(() => resolve(undefined));
  }

  get({ namespace, name }: { readonly namespace?: string | undefined; readonly name: string }): T | undefined {
    return this.#objects.get(keyOf({ metadata: { name, ...(namespace === undefined ? {} : { namespace }) } }));
  }

  list(): readonly T[] {
    return [...this.#objects.values()];
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }

  async #run(onListed: () => void): Promise<void> {
    const { signal } = this.#stop;
    const wait = (ms: number) => delay(ms, undefined, { signal, ref: false }).catch(() => undefined);
    let failures = 0;
    while (!signal.aborted) {
      try {
        if (this.#resourceVersion === undefined) {
          await this.#list();
          onListed();
        }
        const started = performance.now();
        await this.#watch();
        failures = 0;
        await wait(Math.max(SHORTEST_WATCH_MS - (performance.now() - started), 0));
      } catch (error) {
        if (signal.aborted) return;
        // What was seen last is too old to go on from.
        if (error instanceof KubeError && error.code === 410) this.#resourceVersion = undefined;
        else this.#options.report(error instanceof Error ? error.message : String(error));
        await wait(Math.min(FIRST_RETRY_MS * 2 ** failures++, LAST_RETRY_MS) * (0.5 + Math.random() / 2));
      }
    }
  }

  async #list(): Promise<void> {
    const { client, type, selection, keep = (object) => object } = this.#options;
    const { items, resourceVersion } = await client.list(type, selection);
    if (this.#stop.signal.aborted) return;
    const before = this.#objects;
    this.#objects = new Map(items.map((item) => [keyOf(item), keep(item)]));
    this.#resourceVersion = resourceVersion;
    for (const [key, old] of before) if (!this.#objects.has(key)) this.#tell({ old });
    for (const [key, object] of this.#objects) this.#tell({ old: before.get(key), new: object });
  }

  async #watch(): Promise<void> {
    const { client, type, selection = {} } = this.#options;
    const { signal } = this.#stop;
    let failure: KubeError | undefined;
    await client.watch(type, selection, {
      resourceVersion: this.#resourceVersion ?? '',
      signal,
      onEvent: (event) => {
        if (event.type === 'ERROR') failure = new KubeError(codeOf(event), JSON.stringify(event.object));
        else if (!signal.aborted) this.#take(event);
      },
    });
    if (failure) throw failure;
  }

  #take({ type, object: received }: WatchEvent<T>): void {
    const object = this.#options.keep && type !== 'BOOKMARK' ? this.#options.keep(received) : received;
    this.#resourceVersion = object.metadata?.resourceVersion ?? this.#resourceVersion;
    if (type === 'BOOKMARK') return;
    const key = keyOf(object);
    const old = this.#objects.get(key);
    if (type === 'DELETED') this.#objects.delete(key);
    else this.#objects.set(key, object);
    this.#tell({ old, new: type === 'DELETED' ? undefined : object });
  }

  /** Listing again gives what is known already, mostly. */
  #tell(change: ObjectChange<T>): void {
    const versions = [change.old, change.new].map((object) => object?.metadata?.resourceVersion);
    if (versions[0] !== undefined && versions[0] === versions[1]) return;
    if (change.old ?? change.new) this.#options.changed(change);
  }
}

const keyOf = ({ metadata: { namespace = '', name = '' } = {} }: KubeObject): string => `${namespace}/${name}`;

const codeOf = ({ object }: WatchEvent<KubeObject>): number => {
  const { code } = object as { readonly code?: unknown };
  return typeof code === 'number' ? code : 0;
};
