import type { KubernetesCaller } from '../authn/authenticator.ts';
import { parseIdentity } from '../spiffe/identity.ts';

/** A service account by its namespace and name. */
export interface ServiceAccountName {
  readonly namespace: string;
  readonly serviceAccount: string;
}

export interface PodFacts extends ServiceAccountName {
  readonly uid: string;
  readonly node: string;
}

/** The pods of a cluster, as far as impersonation depends on them. */
export interface PodLookup {
  pod(namespace: string, name: string): PodFacts | undefined;
  /** Whether a pod of that service account runs on the node. */
  runsOn(node: string, account: ServiceAccountName): boolean;
}

export interface NodeAuthorizerOptions {
  /** The accounts of node proxies, such as ztunnel's. */
  readonly trustedAccounts: readonly ServiceAccountName[];
  readonly podsOf: (clusterId: string) => PodLookup | undefined;
}

/** Decides whether a node's proxy may have a certificate for one of its node's pods. */
export class NodeAuthorizer {
  readonly #options: NodeAuthorizerOptions;

  constructor(options: NodeAuthorizerOptions) {
    this.#options = options;
  }

  /** Why the caller may not have a certificate for that identity, for the log; undefined where it may. */
  problemOf(caller: KubernetesCaller | undefined, requested: string): string | undefined {
    if (!caller) return 'the caller is not known by a token of Kubernetes';
    const { namespace, serviceAccount, podName, podUid, clusterId } = caller;
    const called = `${namespace}/${serviceAccount}`;
    if (!this.#options.trustedAccounts.some((account) => isSameAccount(account, caller))) {
      return `${called} is not allowed to impersonate`;
    }
    const identity = parseIdentity(requested);
    if (!identity?.namespace || !identity.serviceAccount)
      return 'the requested identity is no SPIFFE identity of a workload';
    const pods = this.#options.podsOf(clusterId);
    if (!pods) return `the pods of the cluster "${clusterId}" are not known`;
    const pod = podName === undefined ? undefined : pods.pod(namespace, podName);
    if (!pod) return `the caller's pod ${namespace}/${podName ?? ''} is not known`;
    if (pod.uid !== podUid) return `the caller's pod ${namespace}/${podName} is another one by now`;
    if (pod.serviceAccount !== serviceAccount)
      return `the caller's pod ${namespace}/${podName} has another service account`;
    if (!pod.node || !pods.runsOn(pod.node, identity)) {
      return `no pod of ${identity.namespace}/${identity.serviceAccount} runs on the node "${pod.node}"`;
    }
    return undefined;
  }
}

const isSameAccount = (one: ServiceAccountName, other: ServiceAccountName): boolean =>
  one.namespace === other.namespace && one.serviceAccount === other.serviceAccount;

/** Reads `CA_TRUSTED_NODE_ACCOUNTS`: `NAMESPACE/NAME`, separated by commas. What isn't of that form is told as a problem. */
export function parseNodeAccounts(text: string): {
  readonly accounts: readonly ServiceAccountName[];
  readonly problems: readonly string[];
} {
  const parts = text.split(',').filter((part) => part.trim() !== '');
  const accounts = parts.map((part) => /^([^/]+)\/([^/]+)$/.exec(part.trim()));
  return {
    accounts: accounts.flatMap((match) => (match ? [{ namespace: match[1]!, serviceAccount: match[2]! }] : [])),
    problems: parts.filter((_, at) => !accounts[at]).map((part) => `"${part}" is not NAMESPACE/SERVICE-ACCOUNT`),
  };
}
