import type { TokenReviewStatus } from '@kedge/kube';
import { ownIdentity, type TrustDomains } from '../spiffe/trust-domains.ts';
import {
  absent,
  type Authentication,
  type AuthenticationRequest,
  type Authenticator,
  bearerToken,
  maximumTokenLength,
  refused,
} from './authenticator.ts';

/** Asks the API server of a cluster whether a token is good. */
export interface TokenReviewer {
  review(spec: { readonly token: string; readonly audiences: readonly string[] }): Promise<TokenReviewStatus>;
}

export interface KubernetesTokenOptions {
  readonly trustDomains: () => TrustDomains;
  readonly audiences: readonly string[];
  /** The reviewer of a cluster; of our own where the caller names none. */
  readonly reviewerOf: (clusterId: string) => TokenReviewer | undefined;
}

/** Knows callers by the token of their service account. */
export class KubernetesTokenAuthenticator implements Authenticator {
  readonly name = 'KubeJWTAuthenticator';
  readonly #options: KubernetesTokenOptions;

  constructor(options: KubernetesTokenOptions) {
    this.#options = options;
  }

  async authenticate(request: AuthenticationRequest): Promise<Authentication> {
    const token = bearerToken(request);
    if (token === undefined) return absent('no bearer token is presented');
    if (token.length > maximumTokenLength) return refused('the token is too long');
    const clusterId = request.metadata.get('clusterid') ?? '';
    const reviewer = this.#options.reviewerOf(clusterId);
    if (!reviewer) return refused(`the cluster ${JSON.stringify(clusterId.slice(0, 100))} is not known`);
    let status: TokenReviewStatus;
    try {
      status = await reviewer.review({ token, audiences: this.#options.audiences });
    } catch {
      // What the API server's client says may quote the request.
      return refused('the token could not be reviewed by Kubernetes');
    }
    return this.#identify(status, clusterId);
  }

  #identify({ authenticated, audiences = [], user = {} }: TokenReviewStatus, clusterId: string): Authentication {
    if (!authenticated) return refused('Kubernetes does not authenticate the token');
    // A server that knows no audiences takes a token for itself; then it names none.
    if (!audiences.some((audience) => this.#options.audiences.includes(audience))) {
      return refused('the token is for another audience');
    }
    if (!user.groups?.includes('system:serviceaccounts')) return refused('the token is not of a service account');
    const account = parseServiceAccount(user.username ?? '');
    if (!account) return refused('the token does not name a service account');
    const extra = (key: string): string | undefined => user.extra?.[`authentication.kubernetes.io/${key}`]?.[0];
    return {
      kind: 'authenticated',
      caller: {
        source: 'token',
        identities: [ownIdentity(this.#options.trustDomains(), account.namespace, account.serviceAccount)],
        kubernetes: { ...account, podName: extra('pod-name'), podUid: extra('pod-uid'), clusterId },
      },
    };
  }
}

/** Reads `system:serviceaccount:NAMESPACE:NAME`, as Kubernetes calls a service account. */
export function parseServiceAccount(
  username: string,
): { readonly namespace: string; readonly serviceAccount: string } | undefined {
  const [, namespace, serviceAccount] = /^system:serviceaccount:([^:/]+):([^:/]+)$/.exec(username) ?? [];
  return namespace && serviceAccount ? { namespace, serviceAccount } : undefined;
}
