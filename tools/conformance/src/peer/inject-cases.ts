import {
  injectObject,
  injectPod,
  type InjectTemplate,
  type InjectionMesh,
  type InjectionValues,
  isInjectionRequired,
  jsonPatch,
  type JsonObject,
  type PatchOperation,
  type Pod,
  type ProxyConfig,
  usesNativeSidecars,
  type Workload,
  workloadOfPod,
} from '@kedge/inject';
import { parse } from 'yaml';
import { documentsOf } from './inject-compare.ts';

export interface InjectCase {
  readonly id: string;
  readonly input: string;
  readonly expected?: string;
  readonly expectedError?: string;
  /** What kube-inject tells of the file. */
  readonly expectedLog?: string;
  readonly options: {
    readonly set?: readonly string[];
    readonly installFile?: string;
    readonly meshConfig?: InjectionMesh;
    readonly featureFlags?: Readonly<Record<string, string>>;
    readonly env?: Readonly<Record<string, string>>;
    readonly nodes?: readonly string[];
    readonly runs: readonly string[];
  };
}

export interface InjectFacts {
  readonly values: InjectionValues;
  readonly mesh: InjectionMesh;
  readonly defaults: { readonly meshConfig: InjectionMesh; readonly defaultConfig: ProxyConfig };
  readonly templates: Readonly<Record<string, string>>;
  readonly read: (path: string) => string;
}

/** The objects of a case's file after the injection, as kube-inject gives them. */
export function injectFile(item: InjectCase, facts: InjectFacts): readonly JsonObject[] {
  const inject = injectorOf(item, facts);
  return documentsOf(facts.read(item.input)).map((object) => injectObject(object as JsonObject, inject));
}

/** The pods of a case's file as the webhook makes them. */
export function injectPods(item: InjectCase, facts: InjectFacts): readonly unknown[] {
  const inject = injectorOf(item, facts);
  return createdPods(facts.read(item.input)).map((pod) => {
    const injected = inject(pod, workloadOfPod(pod.metadata));
    return applyPatch(asObject(pod), jsonPatch(asObject(pod), asObject(injected)));
  });
}

/** The pods that Kubernetes would create for the objects of a file. */
export function createdPods(text: string): readonly Pod[] {
  const pods: Pod[] = [];
  for (const object of documentsOf(text)) {
    injectObject(object as JsonObject, (pod, workload) => {
      pods.push(created(pod, workload));
      return pod;
    });
  }
  return pods;
}

function created(pod: Pod, { apiVersion, kind, name, namespace }: Workload): Pod {
  const controlled = (owner: Omit<Workload, 'namespace'>, more: Pod['metadata'] = {}): Pod => {
    const metadata = { ...pod.metadata, ...more, ownerReferences: [{ ...owner, controller: true }] };
    return { spec: pod.spec, metadata: { ...metadata, namespace } };
  };
  if (kind === 'Pod' || pod.metadata.ownerReferences !== undefined) return pod;
  if (kind !== 'Deployment') return controlled({ apiVersion, kind, name }, { generateName: name });
  const labels = { ...pod.metadata.labels, 'pod-template-hash': 'fake' };
  const replicas = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `${name}-fake` };
  return controlled(replicas, { labels, generateName: `${name}-fake-` });
}

const asObject = (pod: Pod): JsonObject => pod as unknown as JsonObject;

function applyPatch(before: JsonObject, patch: readonly PatchOperation[]): unknown {
  const result = structuredClone(before);
  for (const { op, path, value } of patch) {
    const keys = path.split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = keys.pop() ?? '';
    const parent = keys
      .slice(1)
      .reduce((part, key) => part[key] as Record<string, unknown>, result as Record<string, unknown>);
    if (op === 'remove') delete parent[last];
    else parent[last] = value;
  }
  return result;
}

function injectorOf({ options }: InjectCase, facts: InjectFacts): InjectTemplate {
  const values = valuesOf(options, facts);
  const { featureFlags = {}, nodes = ['v1.33.0', 'v1.34.0'], meshConfig = {} } = options;
  const webhook = values.sidecarInjectorWebhook as { readonly templates?: Readonly<Record<string, string>> };
  const config = { policy: 'enabled', templates: { ...facts.templates, ...webhook.templates } };
  const { defaultConfig: installed } = facts.mesh;
  const mesh = {
    ...facts.defaults.meshConfig,
    ...facts.mesh,
    ...meshConfig,
    defaultConfig: { ...facts.defaults.defaultConfig, ...installed, ...meshConfig.defaultConfig },
  };
  const policy = featureFlags.COMPLIANCE_POLICY;
  return (pod, workload) => {
    if (!isInjectionRequired(config, pod)) return pod;
    const request = {
      pod,
      workload,
      config,
      values,
      mesh,
      proxyDefaults: facts.defaults.defaultConfig,
      revision: '',
      nativeSidecars: usesNativeSidecars(featureFlags.ENABLE_NATIVE_SIDECARS ?? 'auto', nodes),
      ...(policy !== undefined && { compliancePolicy: policy }),
      ...(options.env?.PLATFORM === 'openshift' && { proxyUser: OPENSHIFT_USER }),
    };
    return injectPod(request, ['sidecar']);
  };
}

/** The last user of the range that the annotation of the namespace `test-ns` gives. */
const OPENSHIFT_USER = 1_000_629_999;

type Tree = Readonly<Record<string, unknown>>;

function valuesOf({ set = [], installFile }: InjectCase['options'], { values, read }: InjectFacts): InjectionValues {
  const file = installFile === undefined ? {} : (parse(read(installFile)) as { spec: { values: Tree } }).spec.values;
  const changes = set.map((line) => assignment(line));
  return [file, ...changes].reduce<Tree>(overlay, values) as unknown as InjectionValues;
}

const PATHS: Readonly<Record<string, string>> = {
  'components.cni.enabled': 'pilot.cni.enabled',
  'values.cni.provider': 'pilot.cni.provider',
};

function assignment(line: string): Tree {
  const at = line.indexOf('=');
  const path = PATHS[line.slice(0, at)] ?? line.slice('values.'.length, at);
  const text = line.slice(at + 1);
  const value: unknown = /^(?:true|false|\d+)$/.test(text) ? JSON.parse(text) : text;
  return path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Tree;
}

function overlay(base: Tree, over: Tree): Tree {
  const isTree = (value: unknown): value is Tree =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const merged = Object.entries(over).map(([key, value]) => {
    const own = base[key];
    return [key, isTree(value) && isTree(own) ? overlay(own, value) : value];
  });
  return { ...base, ...Object.fromEntries(merged) };
}
