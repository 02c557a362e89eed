import type { KubeClient } from '@kedge/kube';
import type { KubernetesTokenOptions } from '../authn/kubernetes-token.ts';
import type { CertificateAuthority } from '../ca/certificate-authority.ts';
import type { CaStore } from '../ca/ca-store.ts';
import type { SecuritySettings } from '../settings.ts';
import type { NodeAuthorizerOptions } from '../service/node-authorizer.ts';
import { ClusterPods } from './cluster-pods.ts';
import { type PluggedInPlace, remoteCacerts } from './remote-cacerts.ts';
import { SecretCaStore } from './secret-ca-store.ts';
import { tokenReviewer } from './token-reviewer.ts';
import { TrustPublisher } from './trust-publisher.ts';

export interface ClusterSecurityOptions {
  readonly client: KubeClient;
  /** That this runs in, and that the authority's Secrets are in. */
  readonly namespace: string;
  /** What callers call the cluster. */
  readonly clusterId: string;
  readonly settings: Pick<
    SecuritySettings,
    'selfSignedInCacerts' | 'remoteCacerts' | 'rootsConfigMap' | 'revocationsConfigMap' | 'revocations'
  >;
}

/** What a cluster is asked for: where the authority is, and whether tokens are good. */
export interface ClusterSecurity {
  readonly store: CaStore;
  readonly reviewerOf: KubernetesTokenOptions['reviewerOf'];
  /** Absent: the folder alone counts. */
  readonly pluggedIn: PluggedInPlace | undefined;
  /** Follows the cluster's pods, on which it depends for whom a node's proxy may ask for certificates. */
  followPods(report: (problem: string) => void): Disposable & Pick<NodeAuthorizerOptions, 'podsOf'>;
  /** Has every namespace know what workloads trust. */
  publish(authority: CertificateAuthority, report: (problem: string) => void): Disposable;
}

export async function clusterSecurity(options: ClusterSecurityOptions): Promise<ClusterSecurity> {
  const { client, namespace, clusterId, settings } = options;
  const reviewer = tokenReviewer(client);
  const isOwn = (cluster: string): boolean => cluster === '' || cluster === clusterId;
  return {
    store: new SecretCaStore({ client, namespace, inCacerts: settings.selfSignedInCacerts }),
    reviewerOf: (cluster) => (isOwn(cluster) ? reviewer : undefined),
    followPods: (report) => {
      const pods = new ClusterPods(client, report);
      return {
        podsOf: (cluster) => (isOwn(cluster) ? pods : undefined),
        [Symbol.dispose]: () => pods[Symbol.dispose](),
      };
    },
    publish: (authority, report) =>
      new TrustPublisher({
        client,
        authority,
        rootsName: settings.rootsConfigMap,
        revocationsName: settings.revocations ? settings.revocationsConfigMap : undefined,
        report,
      }),
    pluggedIn: settings.remoteCacerts ? await remoteCacerts(client, namespace) : undefined,
  };
}
