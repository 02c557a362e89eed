import type { MetricRegistry, Metrics } from '@kedge/observability';

const table = {
  istio_agent_wasm_cache_entries: { kind: 'gauge', help: 'Wasm modules in the cache' },
  istio_agent_wasm_cache_lookup_count: { kind: 'counter', help: 'look-ups in the cache', labels: ['hit'] },
  istio_agent_wasm_remote_fetch_count: { kind: 'counter', help: 'downloads of Wasm modules', labels: ['result'] },
  istio_agent_wasm_config_conversion_count: {
    kind: 'counter',
    help: 'configurations of extensions that passed, by what became of them',
    labels: ['result'],
  },
  istio_agent_wasm_config_conversion_duration: {
    kind: 'distribution',
    help: 'milliseconds until a configuration was passed on',
    buckets: Array.from({ length: 15 }, (_, power) => 2 ** power),
  },
} as const;

export type WasmMetrics = Metrics<typeof table>;

export function registerWasmMetrics(registry: MetricRegistry): WasmMetrics {
  return registry.register(table);
}
