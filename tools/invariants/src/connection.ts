import type { Watch } from '@kedge/incremental';
import type { Proxy } from '@kedge/model';
import { answer, type EncodedResource, TYPE_URLS } from '@kedge/networking';
import type { PushContext } from '@kedge/pushcontext';
import { type Answers, namedSubscriptions, type ShortType, wildcardSubscriptions } from './answers.ts';

interface Subscribed {
  readonly names: string;
  readonly watch: Watch;
  answer: readonly EncodedResource[];
}

/**
 * A connected proxy, as the server keeps one: it asks again only for the types that were marked, and subscribes by name to
 * what its clusters and listeners require. What it holds must be what a fresh server would give.
 */
export class Connection implements Disposable {
  readonly proxy: Proxy;
  readonly #subscribed = new Map<ShortType, Subscribed>();
  readonly #marked = new Set<ShortType>();

  constructor(proxy: Proxy, push: PushContext) {
    this.proxy = proxy;
    this.update(push);
  }

  /** The types whose answers may have changed. */
  get marked(): ReadonlySet<ShortType> {
    return this.#marked;
  }

  get answers(): Answers {
    return Object.fromEntries([...this.#subscribed].map(([type, { answer: held }]) => [type, held])) as Answers;
  }

  update(push: PushContext): void {
    for (const [type, names] of Object.entries(wildcardSubscriptions)) this.#ask(push, type as ShortType, names);
    const { CDS, LDS } = this.answers;
    for (const [type, names] of Object.entries(namedSubscriptions([...CDS, ...LDS]))) {
      this.#ask(push, type as ShortType, names);
    }
  }

  [Symbol.dispose](): void {
    for (const { watch } of this.#subscribed.values()) watch[Symbol.dispose]();
    this.#subscribed.clear();
  }

  #ask(push: PushContext, type: ShortType, names: string): void {
    let subscribed = this.#subscribed.get(type);
    if (subscribed?.names !== names) {
      subscribed?.watch[Symbol.dispose]();
      const watch = push.watch(this.proxy, answer, [TYPE_URLS[type], names], () => this.#marked.add(type));
      this.#subscribed.set(type, (subscribed = { names, watch, answer: [] }));
      this.#marked.add(type);
    }
    if (!this.#marked.delete(type)) return;
    subscribed.answer = subscribed.watch.read() as readonly EncodedResource[];
  }
}
