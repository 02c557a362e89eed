import type { ConfigSource, ObjectOf } from '@kedge/config';
import type { Config } from '@kedge/model';
import type { PodFacts, PodLookup, ServiceAccountName } from '@kedge/security';

type Pod = ObjectOf<'Pod'>;

/** Which service accounts have pods on which node. Made anew when it is needed after pods have changed. */
export class PodsByNode implements PodLookup, Disposable {
  readonly #source: ConfigSource;
  readonly #subscription: Disposable;
  #accounts: ReadonlySet<string> | undefined;

  constructor(source: ConfigSource) {
    this.#source = source;
    this.#subscription = source.subscribe((changes) => {
      if (changes.some(({ key }) => key.kind === 'Pod')) this.#accounts = undefined;
    });
  }

  pod(namespace: string, name: string): PodFacts | undefined {
    const pod = this.#source.get({ kind: 'Pod', namespace, name });
    if (!pod || !runs(pod)) return undefined;
    return { namespace, serviceAccount: accountOf(pod), uid: pod.uid ?? '', node: pod.spec.nodeName ?? '' };
  }

  runsOn(node: string, account: ServiceAccountName): boolean {
    this.#accounts ??= new Set(
      this.#source
        .list()
        .filter(runs)
        .map((pod) => keyOf(pod.spec.nodeName ?? '', { namespace: pod.namespace, serviceAccount: accountOf(pod) })),
    );
    return this.#accounts.has(keyOf(node, account));
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
  }
}

const runs = (object: Config): object is Pod => object.kind === 'Pod' && (object as Pod).status?.phase !== 'Failed';

/** Kubernetes fills this in; a manifest may leave it out. */
const accountOf = ({ spec }: Pod): string => spec.serviceAccountName || 'default';

const keyOf = (node: string, { namespace, serviceAccount }: ServiceAccountName): string =>
  `${node} ${namespace}/${serviceAccount}`;
