import type { MetricSelector, MetricsOverrides, TagOverride, TelemetryMetrics } from '@kedge/model';
import { compareText } from '@kedge/pushcontext';
import { isForSide, type Side } from './workload-mode.ts';

/** Istio's metrics, and what Prometheus knows them by. */
const NAMES: Readonly<Record<string, string>> = {
  GRPC_REQUEST_MESSAGES: 'request_messages_total',
  GRPC_RESPONSE_MESSAGES: 'response_messages_total',
  REQUEST_COUNT: 'requests_total',
  REQUEST_DURATION: 'request_duration_milliseconds',
  REQUEST_SIZE: 'request_bytes',
  RESPONSE_SIZE: 'response_bytes',
  TCP_CLOSED_CONNECTIONS: 'tcp_connections_closed_total',
  TCP_OPENED_CONNECTIONS: 'tcp_connections_opened_total',
  TCP_RECEIVED_BYTES: 'tcp_received_bytes_total',
  TCP_SENT_BYTES: 'tcp_sent_bytes_total',
};

/** How one metric differs from what it is by itself. */
export interface MetricChange {
  readonly name: string;
  readonly disabled: boolean;
  readonly tags: Readonly<Record<string, TagOverride>>;
}

/** What a provider counts on one side of traffic. */
export interface ProviderMetrics {
  /** Milliseconds between reports of TCP connections, where stated. */
  readonly reportingInterval?: number;
  readonly changes: readonly MetricChange[];
}

/**
 * What is counted by each provider, as settings come to, the broadest first. Those that name providers put them in the place of
 * the ones before; those that name none mean the ones before. Providers that count nothing on the side are left out.
 */
export function mergeMetrics(
  settings: readonly TelemetryMetrics[],
  defaults: readonly string[],
  side: Side,
): ReadonlyMap<string, ProviderMetrics> {
  if (settings.length === 0) return new Map(defaults.map((name) => [name, { changes: [] }]));
  const last = settings.findLast(({ providers }) => providers.length > 0);
  const inScope = new Set(last?.providers.map(({ name }) => name) ?? defaults);
  const gathered = new Map<string, Gathered>();
  let meant = defaults;
  for (const { providers, overrides, reportingInterval } of settings) {
    if (providers.length > 0) meant = providers.map(({ name }) => name);
    for (const name of meant.filter((one) => inScope.has(one))) {
      const before = gathered.get(name) ?? { disabled: false, changes: new Map() };
      gathered.set(name, {
        ...overrides.filter(({ match }) => isForSide(match?.mode, side)).reduce(withOverride, before),
        ...(reportingInterval === undefined ? {} : { reportingInterval }),
      });
    }
  }
  return new Map(
    [...gathered].flatMap(([name, { disabled, changes, reportingInterval }]) => {
      if (disabled) return [];
      const sorted = [...changes].sort(([a], [b]) => compareText(a, b)).map(([, change]) => change);
      return [[name, { changes: sorted, ...(reportingInterval === undefined ? {} : { reportingInterval }) }]];
    }),
  );
}

interface Gathered {
  readonly reportingInterval?: number;
  readonly disabled: boolean;
  /** By Istio's name of the metric, else its own. */
  readonly changes: ReadonlyMap<string, MetricChange>;
}

function withOverride(before: Gathered, { match, disabled, tagOverrides }: MetricsOverrides): Gathered {
  if (disabled && isForAll(match)) return { ...before, disabled: true };
  const changes = new Map(before.changes);
  for (const metric of metricsOf(match)) {
    const change = changes.get(metric);
    changes.set(metric, {
      name: NAMES[metric] ?? metric,
      disabled: disabled ?? change?.disabled ?? false,
      tags: { ...change?.tags, ...tagOverrides },
    });
  }
  // Whoever says more of a metric wants it again.
  return { ...before, disabled: false, changes };
}

const isForAll = (match: MetricSelector | undefined): boolean =>
  match?.customMetric === undefined && (match?.metric ?? 'ALL_METRICS') === 'ALL_METRICS';

function metricsOf(match: MetricSelector | undefined): readonly string[] {
  if (isForAll(match)) return Object.keys(NAMES);
  return [match?.customMetric ?? match?.metric ?? ''];
}
