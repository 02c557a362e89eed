import type { KubeObject, ResourceType } from './resource-type.ts';

export interface Secret extends KubeObject {
  readonly type?: string;
  /** Values in base64. */
  readonly data?: Readonly<Record<string, string>>;
}

export const secrets: ResourceType<Secret> = { apiVersion: 'v1', kind: 'Secret', plural: 'secrets' };

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export const configMaps: ResourceType<ConfigMap> = { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps' };

export interface Pod extends KubeObject {
  readonly spec?: { readonly nodeName?: string; readonly serviceAccountName?: string };
}

export const pods: ResourceType<Pod> = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' };

export interface Namespace extends KubeObject {
  readonly status?: { readonly phase?: string };
}

export const namespaces: ResourceType<Namespace> = { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces' };

export interface TokenReview extends KubeObject {
  readonly spec?: { readonly token: string; readonly audiences: readonly string[] };
  readonly status?: TokenReviewStatus;
}

export interface TokenReviewStatus {
  readonly authenticated?: boolean;
  readonly error?: string;
  /** Those of the audiences asked for that the token is for. */
  readonly audiences?: readonly string[];
  readonly user?: {
    readonly username?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
}

export const tokenReviews: ResourceType<TokenReview> = {
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenReview',
  plural: 'tokenreviews',
};
