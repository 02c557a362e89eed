import type { MeshRead } from '@kedge/config';
import { fact, query } from '@kedge/incremental';
import { defaultProxyConfig, isJsonObject, mergeProxyConfig, type Proxy, type ProxyConfig } from '@kedge/model';
import { alike } from './equality.ts';
import { meshConfig } from './mesh.ts';

/**
 * One setting as the proxy states it, as JSON; undefined where the proxy states no settings at all. Objects `ProxyConfig`
 * are in there: they and annotations are laid over the mesh's settings when a workload is injected.
 */
const statedSetting = fact('proxyConfig', ({ metadata }: Proxy, name: string): string | undefined => {
  const stated = metadata.raw['PROXY_CONFIG'];
  if (!isJsonObject(stated)) return undefined;
  return JSON.stringify(stated[name]) ?? '';
});

const parsedSetting = query(
  'proxyConfigSetting',
  (_: MeshRead, name: keyof ProxyConfig, json: string): ProxyConfig[keyof ProxyConfig] =>
    json === '' ? undefined : mergeProxyConfig(defaultProxyConfig, { [name]: JSON.parse(json) as unknown }).value[name],
  alike,
);

/**
 * One setting of the proxy. What a proxy states stands for all of its settings: the mesh's count only for proxies that
 * state none. A stated setting that cannot be read counts as left out.
 */
export function proxyConfig<K extends keyof ProxyConfig>(read: MeshRead, name: K): ProxyConfig[K] | undefined {
  const stated = read.fact(statedSetting, name);
  if (stated === undefined) return meshConfig(read).defaultConfig?.[name];
  return read(parsedSetting, name, stated) as ProxyConfig[K] | undefined;
}
