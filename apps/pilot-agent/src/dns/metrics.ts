import type { MetricRegistry, Metrics } from '@kedge/observability';

const table = {
  istio_agent_dns_requests_total: { kind: 'counter', help: 'DNS requests' },
  istio_agent_dns_upstream_requests_total: { kind: 'counter', help: 'DNS requests that name servers were asked' },
  istio_agent_dns_upstream_failures_total: { kind: 'counter', help: 'DNS requests that no name server answered' },
  istio_agent_dns_upstream_request_duration_seconds: {
    kind: 'distribution',
    help: 'time until a name server answered, or none did',
    buckets: [0.001, 0.005, 0.01, 0.1, 1, 5],
  },
} as const;

export type DnsMetrics = Metrics<typeof table>;

export function registerDnsMetrics(registry: MetricRegistry): DnsMetrics {
  return registry.register(table);
}
