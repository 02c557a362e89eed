import type { Metrics, MetricRegistry } from '@kedge/observability';

const definitions = {
  istio_cni_install_ready: { kind: 'gauge', help: 'Whether the CNI plugin is installed on this node' },
  istio_cni_installs_total: { kind: 'counter', help: 'Installations of the CNI plugin, by result', labels: ['result'] },
  istio_cni_repair_pods_repaired_total: {
    kind: 'counter',
    help: 'Pods that started without redirection, by what was done about it and its result',
    labels: ['type', 'result'],
  },
} as const;

export type AgentMetrics = Metrics<typeof definitions>;

export function registerMetrics(registry: MetricRegistry): AgentMetrics {
  return registry.register(definitions);
}
