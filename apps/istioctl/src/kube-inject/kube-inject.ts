import { decodeYaml, encodeYaml, fromValue, toValue } from '@kedge/go-template';
import {
  type InjectionMesh,
  type InjectionValues,
  injectObject,
  injectPod,
  isInjectionRequired,
  type JsonObject,
  type Pod,
  type ProxyConfig,
  TemplateCache,
  type Workload,
} from '@kedge/inject';
import { defaultProxyConfig } from '@kedge/model';

export interface KubeInjectOptions {
  /** Go templates by name. */
  readonly templates: Readonly<Record<string, string>>;
  readonly values: InjectionValues;
  readonly mesh: InjectionMesh;
  readonly revision: string;
  readonly nativeSidecars: boolean;
  readonly environment: Readonly<Record<string, string>>;
}

export interface KubeInjected {
  readonly output: string;
  /** Objects that were left as they are, and why. */
  readonly warnings: readonly string[];
}

/** A file of Kubernetes objects with its pods injected. Documents without pods stay as they were written. */
export function kubeInject(text: string, options: KubeInjectOptions): KubeInjected {
  const warnings: string[] = [];
  const shared = { ...options, cache: new TemplateCache(options.environment) };
  const inject = (pod: Pod, workload: Workload): Pod => injectOrWarn(pod, workload, shared, warnings);
  const documents = documentsOf(text).map((document) => injectDocument(document, inject));
  return { output: documents.map((document) => `${document}---\n`).join(''), warnings };
}

function documentsOf(text: string): readonly string[] {
  const documents = text.split(/^---[ \t]*(?:\r?\n|$)/m);
  return documents.filter((document) => document.trim() !== '').map((document) => document.replace(/\n*$/, '\n'));
}

function injectDocument(document: string, inject: (pod: Pod, workload: Workload) => Pod): string {
  // YAML 1.1, as Kubernetes' own tools read it: `hostNetwork: no` says no.
  const object = fromValue(decodeYaml(document)) as JsonObject | null;
  if (object === null || typeof object !== 'object') return document;
  const injected = injectObject(object, inject);
  return injected === object ? document : `${encodeYaml(toValue(injected))}\n`;
}

type Shared = KubeInjectOptions & { readonly cache: TemplateCache };

function injectOrWarn(pod: Pod, workload: Workload, options: Shared, warnings: string[]): Pod {
  const config = { policy: 'enabled', templates: options.templates };
  const skip = (reason: string): Pod => {
    const name = pod.metadata.name ?? workload.name;
    const fullName = workload.namespace === '' ? name : `${workload.namespace}/${name}`;
    warnings.push(`===> Skipping injection because ${workload.kind} "${fullName}" has ${reason}\n`);
    return pod;
  };
  if (pod.spec.hostNetwork === true) return skip('host networking enabled');
  if (!isInjectionRequired(config, pod)) return skip('sidecar injection disabled');
  return injectPod({ ...options, pod, workload, config, proxyDefaults: { ...defaultProxyConfig } as ProxyConfig }, [
    'sidecar',
  ]);
}
