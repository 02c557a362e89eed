import type { InjectionMesh, ProxyConfig } from './mesh.ts';
import type { Pod } from './pod.ts';
import type { InjectionPolicy } from './policy.ts';
import type { TemplateCache } from './template-cache.ts';

/** Values of the installation: templates see all of them. */
export interface InjectionValues {
  readonly global: {
    readonly hub: string;
    readonly tag: string;
    readonly proxy: {
      readonly statusPort?: number;
      readonly holdApplicationUntilProxyStarts?: boolean;
      readonly [name: string]: unknown;
    };
    readonly proxy_init?: { readonly image?: string; readonly [name: string]: unknown };
    readonly multiCluster?: { readonly clusterName?: string; readonly [name: string]: unknown };
    readonly network?: string;
    readonly [name: string]: unknown;
  };
  readonly sidecarInjectorWebhook?: { readonly rewriteAppHTTPProbe?: boolean; readonly [name: string]: unknown };
  readonly [name: string]: unknown;
}

export interface InjectionConfig extends InjectionPolicy {
  /** Go templates by name. */
  readonly templates: Readonly<Record<string, string>>;
  readonly defaultTemplates?: readonly string[];
  /** Names that stand for several templates; these aren't aliases in turn. */
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
}

/** What the pod belongs to: the object that a user wrote. */
export interface Workload {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

export interface InjectionRequest {
  readonly pod: Pod;
  readonly workload: Workload;
  readonly config: InjectionConfig;
  readonly values: InjectionValues;
  readonly mesh: InjectionMesh;
  /** Fields of a ProxyConfig that the proxy knows without being told. */
  readonly proxyDefaults: ProxyConfig;
  readonly revision: string;
  readonly nativeSidecars: boolean;
  readonly compliancePolicy?: string;
  /** What the template function `env` sees. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What earlier injections left; made anew where it isn't given. */
  readonly cache?: TemplateCache;
  /** Variables of the proxy that the webhook's URL sets (`envsOfUrl`). */
  readonly proxyEnvironment?: Readonly<Record<string, string>>;
  /** User and group of the proxy; 1337 if not given. */
  readonly proxyUser?: number;
}
