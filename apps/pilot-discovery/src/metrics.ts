import type { MetricRegistry, Metrics } from '@kedge/observability';

const SECONDS = [0.01, 0.1, 0.5, 1, 3, 5, 10, 20, 30];

/** Metrics by the names under which Istio's dashboards and alerts know them. Times are in seconds. */
const table = {
  pilot_xds: { kind: 'gauge', help: 'clients connected over xDS', labels: ['version'] },
  pilot_info: { kind: 'gauge', help: 'version of the control plane', labels: ['version'] },
  pilot_services: { kind: 'gauge', help: 'services known' },
  pilot_virt_services: { kind: 'gauge', help: 'virtual services known' },
  pilot_inbound_updates: { kind: 'counter', help: 'updates received, by what they concern', labels: ['type'] },
  pilot_push_triggers: { kind: 'counter', help: 'reasons for pushes', labels: ['type'] },
  pilot_xds_pushes: { kind: 'counter', help: 'answers sent, by type', labels: ['type'] },
  pilot_xds_push_time: {
    kind: 'distribution',
    help: 'time to generate and write an answer',
    labels: ['type'],
    buckets: SECONDS,
  },
  pilot_xds_send_time: { kind: 'distribution', help: 'time to write an answer', buckets: SECONDS },
  pilot_xds_config_size_bytes: {
    kind: 'distribution',
    help: 'size of answers',
    labels: ['type'],
    buckets: [1, 10_000, 1_000_000, 4_000_000, 10_000_000, 40_000_000],
  },
  pilot_debounce_time: { kind: 'distribution', help: 'time from the first change to the push', buckets: SECONDS },
  pilot_pushcontext_init_seconds: { kind: 'distribution', help: 'time to make the next snapshot', buckets: SECONDS },
  pilot_proxy_queue_time: { kind: 'distribution', help: 'time that a client waits for its push', buckets: SECONDS },
  pilot_proxy_convergence_time: {
    kind: 'distribution',
    help: 'time from a change until a client was sent all of it',
    buckets: SECONDS,
  },
  pilot_xds_refused_resources: {
    kind: 'gauge',
    help: 'resources that are replaced or left out since clients refuse them',
    labels: ['type'],
  },
  pilot_total_xds_rejects: { kind: 'counter', help: 'answers that clients refused', labels: ['type'] },
  pilot_xds_cds_reject: { kind: 'gauge', help: 'clients that refuse their clusters', labels: ['node', 'err'] },
  pilot_xds_eds_reject: { kind: 'gauge', help: 'clients that refuse their endpoints', labels: ['node', 'err'] },
  pilot_xds_lds_reject: { kind: 'gauge', help: 'clients that refuse their listeners', labels: ['node', 'err'] },
  pilot_xds_rds_reject: { kind: 'gauge', help: 'clients that refuse their routes', labels: ['node', 'err'] },
  pilot_xds_recv_max: { kind: 'gauge', help: 'size of the largest request, in bytes' },
  pilot_xds_expired_nonce: { kind: 'counter', help: 'requests with an old nonce', labels: ['type'] },
  pilot_xds_write_timeout: { kind: 'counter', help: 'answers that were neither accepted nor refused in time' },
  pilot_total_xds_internal_errors: { kind: 'counter', help: 'errors in generating or connecting' },
  pilot_total_rejected_configs: { kind: 'counter', help: 'objects that were left out for errors', labels: ['type'] },
  pilot_jwks_resolver_network_fetch_success_total: { kind: 'counter', help: 'key sets that were fetched' },
  pilot_jwks_resolver_network_fetch_fail_total: { kind: 'counter', help: 'key sets that could not be fetched' },
  auto_registration_errors_total: { kind: 'counter', help: 'workloads that could not register themselves' },
  auto_registration_success_total: { kind: 'counter', help: 'workloads that registered themselves' },
  auto_registration_updates_total: { kind: 'counter', help: 'registered workloads that connected again' },
  auto_registration_unregister_total: { kind: 'counter', help: 'registered workloads that disconnected' },
  auto_registration_deletes_total: { kind: 'counter', help: 'entries removed since their workload stayed away' },
  istiod_uptime_seconds: { kind: 'gauge', help: 'time since the process started' },
} as const;

export type DiscoveryMetrics = Metrics<typeof table>;

export function registerMetrics(registry: MetricRegistry): DiscoveryMetrics {
  return registry.register(table);
}
