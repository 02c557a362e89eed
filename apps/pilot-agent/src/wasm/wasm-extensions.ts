import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Any } from '@kedge/envoy-api';
import type { EffectiveProxyConfig } from '@kedge/model';
import type { Logging, MetricRegistry } from '@kedge/observability';
import type { AgentEnvironment } from '../environment.ts';
import { BlockedAddresses } from './blocked-addresses.ts';
import { extensionConverter } from './convert-extension.ts';
import { registerWasmMetrics } from './metrics.ts';
import { ModuleCache } from './module-cache.ts';

export interface WasmOptions {
  readonly config: EffectiveProxyConfig;
  readonly environment: AgentEnvironment;
  readonly registry: MetricRegistry;
  readonly logging: Logging;
}

/** The agent's own data, where its host has the folder. */
const dataDir = '/var/lib/istio/data';

/** Extensions on their way to Envoy. */
export interface WasmExtensions extends Disposable {
  readonly convert: (resource: Any) => Promise<Any>;
}

/** @throws Error for settings that cannot be used. */
export function wasmExtensions({ config, environment, registry, logging }: WasmOptions): WasmExtensions {
  const log = logging.scope('wasm');
  const metrics = registerWasmMetrics(registry);
  const settings = {
    insecureHosts: new Set(listed(environment.wasmInsecureRegistries)),
    attempts: Math.max(1, environment.wasmMaxRetries),
    requestTimeoutMs: environment.wasmRequestTimeout,
    maxBytes: environment.wasmMaxBytes,
    blocked: new BlockedAddresses(listed(environment.wasmBlockedRanges)),
    dockerConfig: environment.dockerConfig,
  };
  const modules = new ModuleCache({
    dir: existsSync(dataDir) ? dataDir : resolve(join(config.configPath, 'wasm')),
    fetch: async (location, request) => {
      // Few proxies have modules; the others don't load what fetches them.
      const { moduleFetcher } = await import('./fetch-module.ts');
      return moduleFetcher(settings)(location, request);
    },
    expiryMs: environment.wasmModuleExpiry,
    purgeIntervalMs: environment.wasmPurgeInterval,
    metrics,
    log,
  });
  return {
    convert: extensionConverter({ modules, metrics, log }),
    [Symbol.dispose]: () => modules[Symbol.dispose](),
  };
}

const listed = (text: string): readonly string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
