import {
  type ConfigMap,
  configMaps,
  type KubeClient,
  KubeError,
  type Namespace,
  namespaces,
  ObjectCache,
} from '@kedge/kube';
import { setTimeout as delay } from 'node:timers/promises';
import type { CertificateAuthority } from '../ca/certificate-authority.ts';
import { caFileNames } from '../ca/file-names.ts';
import { messageOf } from '../error-code.ts';

export interface TrustPublisherOptions {
  readonly client: KubeClient;
  readonly authority: CertificateAuthority;
  /** What the ConfigMap with the roots is called in each namespace. */
  readonly rootsName: string;
  /** What that with the lists of revoked certificates is called; absent: they aren't published. */
  readonly revocationsName?: string | undefined;
  readonly report: (problem: string) => void;
}

/** A text that each namespace is to have. */
interface Publication {
  readonly cache: ObjectCache<ConfigMap>;
  readonly name: string;
  readonly key: string;
  readonly text: () => string;
}

/** Namespaces of Kubernetes itself in which nothing of a mesh runs. */
const ignored: ReadonlySet<string> = new Set(['kube-public', 'kube-node-lease', 'local-path-storage']);

const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 60_000;

/** Keeps what workloads trust in a ConfigMap of every namespace, which their pods mount. */
export class TrustPublisher implements Disposable {
  readonly #options: TrustPublisherOptions;
  readonly #stop = new AbortController();
  readonly #owned = new DisposableStack();
  readonly #namespaces: ObjectCache<Namespace>;
  readonly #publications: readonly Publication[];
  readonly #due = new Set<string>();
  /** What went wrong last, and how often, by namespace. */
  readonly #failures = new Map<string, { readonly problem: string; readonly count: number }>();
  #isBusy = true;

  constructor(options: TrustPublisherOptions) {
    this.#options = options;
    const { client, authority, rootsName, revocationsName, report } = options;
    this.#owned.defer(() => this.#stop.abort());
    this.#namespaces = this.#owned.use(
      new ObjectCache({
        client,
        type: namespaces,
        report,
        changed: ({ old, new: namespace }) => {
          if (!old && namespace) this.#touch(namespace.metadata?.name);
        },
      }),
    );
    const publication = (name: string, key: string, text: () => string): Publication => {
      const selection = { fieldSelector: `metadata.name=${name}` };
      const cache = new ObjectCache({
        client,
        type: configMaps,
        selection,
        report,
        changed: ({ old, new: now }) => this.#touch((now ?? old)?.metadata?.namespace),
      });
      return { cache: this.#owned.use(cache), name, key, text };
    };
    this.#publications = [
      publication(rootsName, caFileNames.roots, () => authority.roots),
      ...(revocationsName
        ? [publication(revocationsName, caFileNames.revocations, () => authority.material.texts.revocations ?? '')]
        : []),
    ];
    this.#owned.use(authority.subscribe(() => this.#touchAll()));
    void this.#start();
  }

  [Symbol.dispose](): void {
    this.#owned.dispose();
  }

  /** Nothing is written before it is known what is there. */
  async #start(): Promise<void> {
    await Promise.all([this.#namespaces, ...this.#publications.map(({ cache }) => cache)].map(({ synced }) => synced));
    this.#isBusy = false;
    this.#touchAll();
  }

  #touchAll(): void {
    for (const { metadata } of this.#namespaces.list()) this.#touch(metadata?.name);
  }

  #touch(namespace: string | undefined): void {
    if (namespace === undefined || ignored.has(namespace)) return;
    this.#due.add(namespace);
    if (!this.#isBusy) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    for (const namespace of this.#due) {
      this.#due.delete(namespace);
      try {
        for (const publication of this.#publications) await this.#publish(namespace, publication);
        this.#failures.delete(namespace);
      } catch (error) {
        this.#failed(namespace, messageOf(error));
      }
      if (this.#stop.signal.aborted) return;
    }
    this.#isBusy = false;
  }

  /** Tries again later, while others have their turn. */
  #failed(namespace: string, problem: string): void {
    const { signal } = this.#stop;
    if (signal.aborted) return;
    const last = this.#failures.get(namespace);
    if (last?.problem !== problem) {
      this.#options.report(`what workloads of ${namespace} trust is not published: ${problem}`);
    }
    const count = last?.count ?? 0;
    this.#failures.set(namespace, { problem, count: count + 1 });
    const wait = Math.min(FIRST_RETRY_MS * 2 ** count, LAST_RETRY_MS);
    delay(wait, undefined, { signal, ref: false }).then(
      () => this.#touch(namespace),
      () => undefined,
    );
  }

  async #publish(namespace: string, { cache, name, key, text }: Publication): Promise<void> {
    const { client } = this.#options;
    const isLeaving = this.#namespaces.get({ name: namespace })?.status?.phase !== 'Active';
    const there = cache.get({ namespace, name });
    const wanted = text();
    if (isLeaving || (there?.data?.[key] ?? '') === wanted) return;
    try {
      const data = { ...there?.data, [key]: wanted };
      if (there) await client.update(configMaps, { ...there, data });
      else {
        await client.create(configMaps, { metadata: { namespace, name, labels: { 'istio.io/config': 'true' } }, data });
      }
    } catch (error) {
      // Another replica was first, or the namespace is gone; a watch tells of either.
      const isTold = error instanceof KubeError && ['AlreadyExists', 'Conflict', 'NotFound'].includes(error.reason);
      if (!isTold) throw error;
    }
  }
}
