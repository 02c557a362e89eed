import { encodeYaml, toValue } from '@kedge/go-template';
import type { Json, JsonObject } from '@kedge/model';
import { textAt } from './tree.ts';

/** An object of Kubernetes. */
export interface Manifest {
  /** The API group; empty for the core. */
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  /** Empty where the object says none. */
  readonly namespace: string;
  readonly object: JsonObject;
  /** One document, without a line end. */
  print(): string;
}

export const manifestOf = (object: JsonObject): Manifest => ({
  group: groupOf(textAt(object, 'apiVersion')),
  kind: textAt(object, 'kind'),
  name: textAt(object, 'metadata', 'name'),
  namespace: textAt(object, 'metadata', 'namespace'),
  object,
  print: () => printYaml(object),
});

const groupOf = (apiVersion: string): string => (apiVersion.includes('/') ? apiVersion.split('/')[0]! : '');

const DEFINITION =
  /^apiVersion: (apiextensions\.k8s\.io)\/\S+\nkind: (CustomResourceDefinition)\nmetadata:\n(?: {2}.*\n)*? {2}name: (\S+)\n/;

/**
 * The definition of a kind in a text, undefined if it is none. Definitions are long, and seldom looked into: they are parsed only
 * then, and printed as they were written.
 */
export function definitionIn(text: string, parse: (text: string) => JsonObject): Manifest | undefined {
  const trimmed = text.trim();
  const [, group, kind, name] = DEFINITION.exec(trimmed) ?? [];
  if (group === undefined || kind === undefined || name === undefined) return undefined;
  let parsed: JsonObject | undefined;
  return {
    ...{ group, kind, name, namespace: '' },
    get object() {
      return (parsed ??= parse(trimmed));
    },
    print: () => trimmed,
  };
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

const rankOf = ({ group, kind }: Manifest): number => RANKS[`${group}/${kind}`] ?? 1000;

const compare = <T extends number | string>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

/** In the order in which they are applied; objects of the same rank, group, kind and name keep theirs. */
export const sortManifests = (manifests: readonly Manifest[]): readonly Manifest[] =>
  manifests.toSorted(
    (a, b) =>
      compare(rankOf(a), rankOf(b)) || compare(a.group, b.group) || compare(a.kind, b.kind) || compare(a.name, b.name),
  );

/** With sorted keys, as Kubernetes' tools write it; without a line end. */
export const printYaml = (value: Json): string => encodeYaml(toValue(value));

/** Documents, each followed by its separator. */
export const printManifests = (manifests: readonly Manifest[]): string =>
  manifests.map((manifest) => `${manifest.print()}\n---\n`).join('');
