import type { JsonObject } from '@kedge/cni';
import type { Level } from '@kedge/observability';
import type { Settings } from './settings.ts';

/** The plugin's entry in a network configuration. */
export function pluginEntry(settings: Settings, pluginLogLevel: Level): JsonObject {
  const excluded = settings.excludeNamespaces
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return {
    cniVersion: '0.3.1',
    name: 'istio-cni',
    type: 'istio-cni',
    ipam: {},
    dns: {},
    plugin_log_level: pluginLogLevel,
    cni_agent_run_dir: settings.runDir,
    ambient_enabled: settings.ambientEnabled,
    enablement_selectors: [],
    exclude_namespaces: excluded.length > 0 ? excluded : null,
    pod_namespace: settings.podNamespace,
    native_nftables: settings.nativeNftables,
    enable_ambient_detection_retry: false,
  };
}
