import { type KubeClient, ObjectCache, type ObjectChange, type Pod, pods } from '@kedge/kube';
import type { PodFacts, PodLookup, ServiceAccountName } from '../service/node-authorizer.ts';

/** The pods of a cluster, of which little is kept. */
export class ClusterPods implements PodLookup, Disposable {
  readonly #cache: ObjectCache<Pod>;
  /** How many pods of a service account a node has. */
  readonly #counts = new Map<string, number>();

  constructor(client: KubeClient, report: (problem: string) => void) {
    this.#cache = new ObjectCache({
      client,
      type: pods,
      selection: { fieldSelector: 'status.phase!=Failed' },
      keep: ({ metadata: { name, namespace, uid, resourceVersion } = {}, spec = {} }) => ({
        metadata: {
          ...(name && { name }),
          ...(namespace && { namespace }),
          ...(uid && { uid }),
          ...(resourceVersion && { resourceVersion }),
        },
        spec: {
          ...(spec.nodeName && { nodeName: spec.nodeName }),
          ...(spec.serviceAccountName && { serviceAccountName: spec.serviceAccountName }),
        },
      }),
      changed: (change) => this.#count(change),
      report,
    });
  }

  pod(namespace: string, name: string): PodFacts | undefined {
    const pod = this.#cache.get({ namespace, name });
    return pod && factsOf(pod);
  }

  runsOn(node: string, account: ServiceAccountName): boolean {
    return this.#counts.has(keyOf({ ...account, node }));
  }

  [Symbol.dispose](): void {
    this.#cache[Symbol.dispose]();
  }

  #count({ old, new: now }: ObjectChange<Pod>): void {
    if (old) this.#add(keyOf(factsOf(old)), -1);
    if (now) this.#add(keyOf(factsOf(now)), 1);
  }

  #add(key: string, count: number): void {
    const sum = (this.#counts.get(key) ?? 0) + count;
    if (sum > 0) this.#counts.set(key, sum);
    else this.#counts.delete(key);
  }
}

const factsOf = ({ metadata: { namespace = '', uid = '' } = {}, spec = {} }: Pod): PodFacts => ({
  namespace,
  serviceAccount: spec.serviceAccountName ?? '',
  uid,
  node: spec.nodeName ?? '',
});

const keyOf = ({ node, namespace, serviceAccount }: Omit<PodFacts, 'uid'>): string =>
  `${node} ${namespace}/${serviceAccount}`;
