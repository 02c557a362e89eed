import type { MetricRegistry, Metrics } from '@kedge/observability';

const table = {
  istio_agent_startup_duration_seconds: { kind: 'gauge', help: 'time from the start of the process to its readiness' },
  istio_agent_scrapes_total: { kind: 'counter', help: 'scrapes of the metrics' },
  istio_agent_scrape_failures_total: { kind: 'counter', help: 'scrapes that failed', labels: ['type'] },
  istio_agent_xds_proxy_requests: { kind: 'counter', help: 'xDS requests that Envoy sent' },
  istio_agent_xds_proxy_responses: { kind: 'counter', help: 'xDS answers that the control plane sent' },
  istio_agent_istiod_connection_failures: { kind: 'counter', help: 'xDS streams that ended before an answer' },
  istio_agent_istiod_connection_terminations: { kind: 'counter', help: 'xDS streams that the control plane ended' },
  istio_agent_envoy_connection_terminations: { kind: 'counter', help: 'xDS streams that Envoy ended' },
  istio_agent_num_outgoing_requests: { kind: 'counter', help: 'requests for certificates', labels: ['request_type'] },
  istio_agent_num_failed_outgoing_requests: {
    kind: 'counter',
    help: 'requests for certificates that failed',
    labels: ['request_type'],
  },
  istio_agent_num_outgoing_retries: {
    kind: 'counter',
    help: 'requests for certificates after one that failed',
    labels: ['request_type'],
  },
  istio_agent_outgoing_latency: {
    kind: 'counter',
    help: 'milliseconds that requests for certificates took in all',
    labels: ['request_type'],
  },
  istio_agent_num_file_secret_failures_total: { kind: 'counter', help: 'times that secrets in files were not there' },
  istio_agent_cert_expiry_seconds: {
    kind: 'gauge',
    help: "seconds until the workload's certificate expires",
    labels: ['resource_name'],
  },
  istio_agent_envoy_restarts_total: { kind: 'counter', help: 'times that Envoy was started again after it failed' },
} as const;

export type AgentMetrics = Metrics<typeof table>;

export function registerAgentMetrics(registry: MetricRegistry): AgentMetrics {
  return registry.register(table);
}
