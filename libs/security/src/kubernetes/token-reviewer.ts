import { type KubeClient, tokenReviews } from '@kedge/kube';
import type { TokenReviewer } from '../authn/kubernetes-token.ts';

/** Has the API server of a cluster look at tokens: it knows too of pods and accounts that are gone. */
export function tokenReviewer(client: KubeClient): TokenReviewer {
  return {
    review: async (spec) => (await client.create(tokenReviews, { spec })).status ?? {},
  };
}
