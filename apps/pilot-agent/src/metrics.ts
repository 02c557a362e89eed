import type { MetricRegistry, Metrics } from '@kedge/observability';

const table = {
  istio_agent_startup_duration_seconds: { kind: 'gauge', help: 'time from the start of the process to its readiness' },
  istio_agent_scrapes_total: { kind: 'counter', help: 'scrapes of the metrics' },
  istio_agent_scrape_failures_total: { kind: 'counter', help: 'scrapes that failed', labels: ['type'] },
  istio_agent_envoy_restarts_total: { kind: 'counter', help: 'times that Envoy was started again after it failed' },
} as const;

export type AgentMetrics = Metrics<typeof table>;

export function registerAgentMetrics(registry: MetricRegistry): AgentMetrics {
  return registry.register(table);
}
