import { deepEqual } from './equal.ts';
import { source } from '@kedge/incremental';

/** On what the control plane gives a proxy secrets. */
export interface SecretAccess {
  /** Whether a proxy is taken for whom it says it is. Only where no one else can connect: for rendering and tests. */
  readonly trustsStatedIdentity: boolean;
  /** Whether identities that nobody reviewed may read secrets, as where there is no API server to ask. */
  readonly allowsUnreviewed: boolean;
}

/** Under {@link SINGLE}; where it is absent, only verified and reviewed identities get secrets. */
export const secretAccessSource = source<SecretAccess>('SecretAccess', deepEqual);

/** What a review said: whether a service account (`namespace/name`) may read the secrets of its namespace. */
export const secretReviewsSource = source<boolean>('SecretReviews', Object.is);
