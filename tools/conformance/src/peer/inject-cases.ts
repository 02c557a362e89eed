import {
  injectObject,
  injectPod,
  type InjectionMesh,
  type InjectionValues,
  isInjectionRequired,
  type JsonObject,
  type Pod,
  type ProxyConfig,
  usesNativeSidecars,
  type Workload,
} from '@kedge/inject';
import { parse } from 'yaml';
import { documentsOf } from './inject-compare.ts';

export interface InjectCase {
  readonly id: string;
  readonly input: string;
  readonly expected?: string;
  readonly expectedError?: string;
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

/** The objects of a case's file after the injection. */
export function injectFile({ input, options }: InjectCase, facts: InjectFacts): readonly JsonObject[] {
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
  const inject = (pod: Pod, workload: Workload): Pod => {
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
  return documentsOf(facts.read(input)).map((object) => injectObject(object as JsonObject, inject));
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
