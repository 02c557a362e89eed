export { KubeClient } from './kube-client.ts';
export { KubeError } from './kube-error.ts';
export { type KubeAccess, kubeAccess, openKubeClient } from './open-kube-client.ts';
export type { KubeObject, ObjectMeta, ObjectPlace, ResourceType } from './resource-type.ts';
export { type Secret, secrets, type TokenReview, tokenReviews, type TokenReviewStatus } from './types.ts';
