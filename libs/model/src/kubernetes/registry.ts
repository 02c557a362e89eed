import type { Config } from '../kinds/config.ts';
import type { FieldPath } from '../parse/field-path.ts';
import type { JsonObject } from '../parse/json.ts';
import type { Of, Schema } from '../parse/message.ts';
import { EndpointSlice } from './endpoint-slice.ts';
import { IngressSpec } from './ingress.ts';
import { NodeSpec, NodeStatus } from './node.ts';
import { ConfigMap, Empty, IngressClassSpec, Secret } from './objects.ts';
import { PodSpec, PodStatus, podView } from './pod.ts';
import { ServiceSpec, ServiceStatus } from './service.ts';

/** What is known of a kind of Kubernetes itself, as far as the mesh reads it. Fields it doesn't read are ignored. */
export interface KubernetesKindInfo<S = unknown, T extends object = JsonObject, K extends string = string> {
  readonly kind: K;
  /** Empty for the core group. */
  readonly group: string;
  readonly versions: readonly [string, ...string[]];
  readonly plural: string;
  readonly namespaced: boolean;
  /** Reads what {@link view} gives. */
  readonly schema: Schema<S>;
  /** The part of the object that becomes `spec` of its value. */
  readonly view: (object: JsonObject) => unknown;
  /** Where that part begins in the object. */
  readonly specPath: FieldPath;
  /** Reads the status of kinds whose status is an input. */
  readonly statusSchema?: Schema<T>;
}

interface Options<T extends object> {
  readonly group?: string;
  readonly clusterScoped?: boolean;
  readonly view?: (object: JsonObject) => unknown;
  readonly status?: Schema<T>;
}

const spec = (object: JsonObject): unknown => object.spec ?? {};
/** Of kinds without a spec, all that is neither type nor metadata. */
const body = ({ apiVersion: _1, kind: _2, metadata: _3, ...rest }: JsonObject): unknown => rest;

function define<K extends string, S, T extends object = JsonObject>(
  kind: K,
  plural: string,
  schema: Schema<S>,
  { group = '', clusterScoped = false, view = spec, status }: Options<T> = {},
): KubernetesKindInfo<S, T, K> {
  const specPath = view === body ? [] : ['spec'];
  const described = { kind, group, plural, namespaced: !clusterScoped, schema, view, specPath, statusSchema: status };
  return { ...described, versions: ['v1'] };
}

const table = [
  define('ConfigMap', 'configmaps', ConfigMap, { view: body }),
  define('EndpointSlice', 'endpointslices', EndpointSlice, { group: 'discovery.k8s.io', view: body }),
  define('Ingress', 'ingresses', IngressSpec, { group: 'networking.k8s.io' }),
  define('IngressClass', 'ingressclasses', IngressClassSpec, { group: 'networking.k8s.io', clusterScoped: true }),
  define('Namespace', 'namespaces', Empty, { clusterScoped: true }),
  define('Node', 'nodes', NodeSpec, { clusterScoped: true, status: NodeStatus }),
  define('Pod', 'pods', PodSpec, { view: podView, status: PodStatus }),
  define('Secret', 'secrets', Secret, { view: body }),
  define('Service', 'services', ServiceSpec, { status: ServiceStatus }),
  define('ServiceAccount', 'serviceaccounts', Empty, { view: body }),
] as const;

type Row = (typeof table)[number];
type RowOf<K extends Row['kind']> = Extract<Row, { readonly kind: K }>;
type StatusOf<R extends Row> = R extends KubernetesKindInfo<unknown, infer T extends object> ? T : never;

/** Kinds of Kubernetes itself that the mesh reads. */
export type KubernetesKind = Row['kind'];

/** An object of Kubernetes as a value: like any other {@link Config}, with its status typed where it is an input. */
export interface KubernetesObject<S, T extends object = JsonObject> extends Config<S> {
  readonly status?: T & JsonObject;
}

/** The value type of each kind of Kubernetes: `KubernetesOf<'Pod'>`. */
export type KubernetesOf<K extends KubernetesKind> = KubernetesObject<Of<RowOf<K>['schema']>, StatusOf<RowOf<K>>> & {
  readonly kind: K;
};

export const kubernetesKinds = Object.fromEntries(table.map((row) => [row.kind, row])) as {
  readonly [K in KubernetesKind]: RowOf<K>;
};

const byApiVersionAndKind = new Map<string, Row>(
  table.flatMap((row) =>
    row.versions.map((version) => [`${row.group ? `${row.group}/` : ''}${version} ${row.kind}`, row] as const),
  ),
);

/** The kind of an object by its `apiVersion` (`v1`, `discovery.k8s.io/v1`) and `kind`. */
export function lookupKubernetesKind(apiVersion: string, kind: string): KubernetesKindInfo | undefined {
  return byApiVersionAndKind.get(`${apiVersion} ${kind}`);
}
