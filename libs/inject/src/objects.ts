import { isObject, type Json, type JsonObject } from './merge.ts';
import type { ObjectMeta, Pod, PodSpec } from './pod.ts';
import type { Workload } from './request.ts';

interface KubernetesObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
  readonly spec?: JsonObject;
}

/**
 * Where the pod, or its template, is in an object. Labels and annotations of a CronJob are those of its jobs: they stand beside the
 * template of the job, not in that of the pod.
 */
const PATHS: Readonly<Record<string, readonly string[]>> = {
  Pod: [],
  CronJob: ['spec', 'jobTemplate'],
  ...Object.fromEntries(
    [
      ...['Deployment', 'DaemonSet', 'ReplicaSet', 'StatefulSet', 'Job', 'ReplicationController', 'DeploymentConfig'],
    ].map((kind) => [kind, ['spec', 'template']]),
  ),
};

export type InjectTemplate = (pod: Pod, workload: Workload) => Pod;

/** An object with its pod template replaced; lists element by element, objects without pods as they are. */
export function injectObject(object: JsonObject, inject: InjectTemplate): JsonObject {
  const { kind = '', apiVersion = '', metadata = {} } = object as KubernetesObject;
  if (kind === 'List' && Array.isArray(object.items)) {
    return { ...object, items: object.items.map((item: JsonObject) => injectObject(item, inject)) };
  }
  const path = PATHS[kind];
  if (path === undefined) return object;
  const namespace = metadata.namespace ?? '';
  const workload =
    kind === 'Pod' ? workloadOfPod(metadata) : { kind, apiVersion, name: metadata.name ?? '', namespace };
  return change(object, path, (template) => {
    const own = isObject(template.metadata) ? template.metadata : {};
    const specPath = kind === 'CronJob' ? ['spec', 'template', 'spec'] : ['spec'];
    const { metadata: injected, spec } = inject(
      {
        metadata: { ...withTexts(own), ...(namespace !== '' && { namespace }) },
        spec: specPath.reduce<JsonObject>((part, key) => (isObject(part[key]) ? part[key] : {}), template) as PodSpec,
      },
      workload,
    );
    const { namespace: _, ...rest } = injected;
    const kept = own.namespace === undefined ? rest : injected;
    return { ...change(template, specPath, () => spec as JsonObject), metadata: kept as JsonObject };
  });
}

/** Labels and annotations as texts: files have `true` and `1` there without quotes, which an API server would be sent as texts. */
function withTexts(metadata: JsonObject): JsonObject {
  const texts = ['labels', 'annotations'].flatMap((field) => {
    const map = metadata[field];
    if (!isObject(map)) return [];
    return [[field, Object.fromEntries(Object.entries(map).map(([key, value]) => [key, String(value ?? '')]))]];
  });
  return { ...metadata, ...Object.fromEntries(texts) };
}

/** The workload of a pod that the API server is asked to create: what controls it, else the pod itself. */
export const workloadOfPod = (metadata: ObjectMeta): Workload => ({
  apiVersion: 'v1',
  kind: 'Pod',
  name: metadata.name ?? '',
  namespace: metadata.namespace ?? '',
  ...ownerOf(metadata),
});

/** The workload that made a pod: a Deployment where its ReplicaSet is named after it. */
function ownerOf({ ownerReferences, labels = {} }: ObjectMeta): Omit<Workload, 'namespace'> | undefined {
  const owners = (ownerReferences ?? []) as readonly (Omit<Workload, 'namespace'> & {
    readonly controller?: boolean;
  })[];
  const owner = owners.find(({ controller }) => controller === true);
  if (!owner) return undefined;
  const { apiVersion, kind, name } = owner;
  const hash = labels['pod-template-hash'];
  if (kind !== 'ReplicaSet' || hash === undefined || !name.endsWith(`-${hash}`)) return { apiVersion, kind, name };
  return { apiVersion, kind: 'Deployment', name: name.slice(0, -hash.length - 1) };
}

function change(object: JsonObject, path: readonly string[], action: (part: JsonObject) => JsonObject): JsonObject {
  const [first, ...rest] = path;
  if (first === undefined) return action(object);
  const child: Json | undefined = object[first];
  return isObject(child) ? { ...object, [first]: change(child, rest, action) } : object;
}
