import { encodeYaml, toValue } from '@kedge/go-template';
import { isJsonObject, type Json, type JsonObject } from '@kedge/model';
import { textAt } from './tree.ts';

/** An object of Kubernetes. */
export type Manifest = JsonObject;

export const kindOf = (manifest: Manifest): string => textAt(manifest, 'kind');
export const nameOf = (manifest: Manifest): string => textAt(manifest, 'metadata', 'name');
export const namespaceOf = (manifest: Manifest): string => textAt(manifest, 'metadata', 'namespace');

/** The API group; empty for the core. */
export function groupOf(manifest: Manifest): string {
  const [group = '', version] = textAt(manifest, 'apiVersion').split('/');
  return version === undefined ? '' : group;
}

/** What has to be there before others comes first: the smaller, the earlier. */
const RANKS: Readonly<Record<string, number>> = {
  'apiextensions.k8s.io/CustomResourceDefinition': -1000,
  '/ServiceAccount': 1,
  'rbac.authorization.k8s.io/ClusterRole': 1,
  'rbac.authorization.k8s.io/ClusterRoleBinding': 2,
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': 3,
  '/ConfigMap': 100,
  'autoscaling/HorizontalPodAutoscaler': 1001,
  '/Service': 10_000,
};

const rankOf = (manifest: Manifest): number => RANKS[`${groupOf(manifest)}/${kindOf(manifest)}`] ?? 1000;

const compare = <T extends number | string>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

/** In the order in which they are applied; objects of the same rank, group, kind and name keep theirs. */
export const sortManifests = (manifests: readonly Manifest[]): readonly Manifest[] =>
  manifests.toSorted(
    (a, b) =>
      compare(rankOf(a), rankOf(b)) ||
      compare(groupOf(a), groupOf(b)) ||
      compare(kindOf(a), kindOf(b)) ||
      compare(nameOf(a), nameOf(b)),
  );

/** One document, with sorted keys and a line end. */
export const printManifest = (manifest: Json): string => encodeYaml(toValue(manifest));

/** Documents, each followed by its separator. */
export const printManifests = (manifests: readonly Manifest[]): string =>
  manifests.map((manifest) => `${printManifest(manifest)}\n---\n`).join('');

export const isManifest = (value: unknown): value is Manifest => isJsonObject(value) && typeof value.kind === 'string';
