import type { Watch } from '@kedge/incremental';
import type { Proxy } from '@kedge/model';
import { answer, type EncodedResource, isTypeUrl, namesKey, type TypeUrl, WILDCARD } from '@kedge/networking';
import type { PushContext } from '@kedge/pushcontext';
import { Answer, type PushScope, type Subscription } from '@kedge/xds-core';

interface WatchedAnswer {
  readonly subscription: Subscription;
  readonly watch: Watch;
}

/**
 * A connected proxy and what it is being sent. It follows the values that its answers rest on, so it knows by itself which
 * types a change of the mesh may concern.
 */
export class MeshClient implements Disposable {
  readonly proxy: Proxy;
  /** Whether it runs on this machine, so that it may look into the server. */
  readonly isLocal: boolean;
  /** What proxies of its build have in common; see `envoyClass`. */
  readonly envoyClass: string;
  readonly #answers = new Map<TypeUrl, WatchedAnswer>();
  readonly #stale = new Map<TypeUrl, string>();
  readonly #untracked = new Set<string>();

  constructor(proxy: Proxy, { isLocal, envoyClass }: Pick<MeshClient, 'isLocal' | 'envoyClass'>) {
    this.proxy = proxy;
    this.isLocal = isLocal;
    this.envoyClass = envoyClass;
  }

  /** The types whose answers may have changed since they were last generated, with the input that changed. */
  get stale(): ReadonlyMap<string, string> {
    return this.#stale;
  }

  get pushScope(): PushScope {
    const types = [...this.#stale.keys(), ...this.#untracked];
    return types.length === 0 ? 'none' : new Set(types);
  }

  /** Notes a type that it watches and whose answers come from elsewhere: any change of the mesh may concern them. */
  addUntracked(typeUrl: string): void {
    this.#untracked.add(typeUrl);
  }

  /** Has the next push look at a type though the mesh hasn't changed. */
  reconsider(typeUrl: string): void {
    if (isTypeUrl(typeUrl)) this.#stale.set(typeUrl, 'refusals');
  }

  generate(push: PushContext, type: TypeUrl, subscription: Subscription): Answer {
    let watched = this.#answers.get(type);
    if (watched?.subscription !== subscription) {
      watched?.watch[Symbol.dispose]();
      const args = [type, subscriptionKey(subscription)] as const;
      const watch = push.watch(this.proxy, answer, args, (cause) => this.#stale.set(type, cause));
      watched = { subscription, watch };
      this.#answers.set(type, watched);
    }
    this.#stale.delete(type);
    return answerOf(watched.watch.read() as readonly EncodedResource[]);
  }

  [Symbol.dispose](): void {
    for (const { watch } of this.#answers.values()) watch[Symbol.dispose]();
    this.#answers.clear();
    this.#stale.clear();
  }
}

const keys = new WeakMap<Subscription, string>();

function subscriptionKey(subscription: Subscription): string {
  if (subscription.wildcard) return WILDCARD;
  let key = keys.get(subscription);
  if (key === undefined) keys.set(subscription, (key = namesKey(subscription.names)));
  return key;
}

const answers = new WeakMap<readonly EncodedResource[], Answer>();

/** Equal answers are the same object, so that what differs between two is found once for all proxies. */
function answerOf(resources: readonly EncodedResource[]): Answer {
  let made = answers.get(resources);
  if (!made) answers.set(resources, (made = new Answer(resources)));
  return made;
}
