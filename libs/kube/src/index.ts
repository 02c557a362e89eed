export { KubeClient, type ObjectList, type Selection, type WatchEvent, type WatchOptions } from './kube-client.ts';
export { KubeError } from './kube-error.ts';
export { ObjectCache, type ObjectCacheOptions, type ObjectChange } from './object-cache.ts';
export { type KubeAccess, kubeAccess, openKubeClient } from './open-kube-client.ts';
export type { KubeObject, ObjectMeta, ObjectPlace, ResourceType } from './resource-type.ts';
export {
  type ConfigMap,
  configMaps,
  type Namespace,
  namespaces,
  type Pod,
  pods,
  type Secret,
  secrets,
  type TokenReview,
  tokenReviews,
  type TokenReviewStatus,
} from './types.ts';
