import { type Any, type JsonObject, type Messages, packAny, parse, typeUrl, unpackAny } from '@kedge/envoy-api';
import { parseDuration } from '@kedge/model';
import type { Logger } from '@kedge/observability';
import type { WasmMetrics } from './metrics.ts';
import type { ModuleCache, PullPolicy } from './module-cache.ts';

const extensionConfig = 'envoy.config.core.v3.TypedExtensionConfig';
const httpWasm = 'envoy.extensions.filters.http.wasm.v3.Wasm';
const networkWasm = 'envoy.extensions.filters.network.wasm.v3.Wasm';
const typedStructs = ['udpa.type.v1.TypedStruct', 'xds.type.v3.TypedStruct'] as const;

type WasmName = typeof httpWasm | typeof networkWasm;
type PluginConfig = NonNullable<Messages[typeof httpWasm]['config']>;
type VmConfig = NonNullable<PluginConfig['vmConfig']>;

/** Variables by which the control plane tells the agent how to fetch; neither Envoy nor the module shall see them. */
const agentPrefix = 'ISTIO_META_';
const pullSecretVariable = `${agentPrefix}WASM_IMAGE_PULL_SECRET`;
const pullPolicyVariable = `${agentPrefix}WASM_IMAGE_PULL_POLICY`;
const versionVariable = `${agentPrefix}WASM_PLUGIN_RESOURCE_VERSION`;
const pullPolicies: readonly PullPolicy[] = ['IfNotPresent', 'Always'];
const defaultTimeoutMs = 5000;

export interface ConverterOptions {
  readonly modules: Pick<ModuleCache, 'get'>;
  readonly metrics: WasmMetrics;
  readonly log: Logger;
}

/**
 * Makes a Wasm extension whose module is remote one whose module is a file. Where there is no module, the extension is replaced
 * by one that lets all traffic pass or none, as its failure policy says. Anything else stays as it is. Never rejects.
 */
export function extensionConverter({ modules, metrics, log }: ConverterOptions): (resource: Any) => Promise<Any> {
  return async (resource) => {
    const started = performance.now();
    const count = (result: string) => metrics.istio_agent_wasm_config_conversion_count.increment({ result });
    const extension = unpackAny(extensionConfig, resource);
    const wasm = extension && readWasm(extension.typedConfig);
    const { name = '' } = extension ?? {};
    if (!wasm?.config.vmConfig?.code?.remote) {
      count('no_remote_load');
      return resource;
    }
    try {
      const vmConfig = await localVm(name, wasm.config, modules);
      count('success');
      const typedConfig = packAny(wasm.type, { ...wasm.message, config: { ...wasm.config, vmConfig } });
      return packAny(extensionConfig, { name, typedConfig });
    } catch (error) {
      count(wasm.config.vmConfig.code.remote.httpUri ? 'fetch_failure' : 'miss_remote_fetch_hint');
      const isOpen = failsOpen(wasm.config);
      log.error(`the extension ${name} has no module: its traffic is ${isOpen ? 'let through' : 'refused'}`, { error });
      return packAny(extensionConfig, { name, typedConfig: substitute(wasm.type, isOpen) });
    } finally {
      metrics.istio_agent_wasm_config_conversion_duration.observe(performance.now() - started);
    }
  };
}

interface WasmExtension {
  readonly type: WasmName;
  readonly message: Messages[WasmName];
  readonly config: PluginConfig;
}

/** A Wasm filter's configuration, as itself or in a TypedStruct. */
function readWasm(any: Any | undefined): WasmExtension | undefined {
  for (const type of [httpWasm, networkWasm] as const) {
    const message = unpackAny(type, any) ?? fromStruct(type, any);
    if (message) return { type, message, config: message.config ?? {} };
  }
  return undefined;
}

function fromStruct(type: WasmName, any: Any | undefined): Messages[WasmName] | undefined {
  for (const name of typedStructs) {
    const struct = unpackAny(name, any);
    if (struct?.typeUrl !== typeUrl(type)) continue;
    const parsed = parse(type, struct.value ?? {});
    // What can't be read is left to Envoy, which says why.
    return parsed.ok ? parsed.message : undefined;
  }
  return undefined;
}

async function localVm(
  resource: string,
  { vmConfig = {} }: PluginConfig,
  modules: Pick<ModuleCache, 'get'>,
): Promise<VmConfig> {
  const { environmentVariables, code, ...rest } = vmConfig;
  const variables = environmentVariables?.keyValues ?? {};
  const { httpUri, sha256 = '' } = code?.remote ?? {};
  if (!httpUri?.uri) throw new Error('the module has no URL');
  const pullSecret = variables[pullSecretVariable];
  if (pullSecret === '') throw new Error('the pull secret is missing');
  const filename = await modules.get({
    url: httpUri.uri,
    // Envoy wants some text there, so the control plane writes this for none.
    checksum: sha256 === 'nil' ? '' : sha256,
    resource,
    version: variables[versionVariable] ?? '',
    policy: pullPolicies.find((policy) => policy === variables[pullPolicyVariable]) ?? 'UNSPECIFIED_POLICY',
    timeoutMs: (httpUri.timeout && parseDuration(httpUri.timeout)) || defaultTimeoutMs,
    ...(pullSecret !== undefined && { pullSecret }),
  });
  const kept = Object.entries(variables).filter(([key]) => !key.startsWith(agentPrefix));
  const { hostEnvKeys = [] } = environmentVariables ?? {};
  return {
    ...rest,
    code: { local: { filename } },
    ...((kept.length > 0 || hostEnvKeys.length > 0) && {
      environmentVariables: {
        ...(hostEnvKeys.length > 0 && { hostEnvKeys }),
        ...(kept.length > 0 && { keyValues: Object.fromEntries(kept) }),
      },
    }),
  };
}

function failsOpen({ failurePolicy = 'UNSPECIFIED', failOpen = false }: PluginConfig): boolean {
  return failurePolicy === 'UNSPECIFIED' ? failOpen : failurePolicy === 'FAIL_OPEN';
}

/** A filter without rules lets all pass; one with an empty list of those who may, nobody. */
function substitute(type: WasmName, isOpen: boolean): Any {
  const rules: JsonObject = isOpen ? {} : { rules: {} };
  const statPrefix = isOpen ? 'wasm-default-allow' : 'wasm-default-deny';
  return type === httpWasm
    ? packAny('envoy.extensions.filters.http.rbac.v3.RBAC', { ...rules, rulesStatPrefix: statPrefix })
    : packAny('envoy.extensions.filters.network.rbac.v3.RBAC', { ...rules, statPrefix });
}
