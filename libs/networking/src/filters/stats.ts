import type { MeshRead } from '@kedge/config';
import type { Messages } from '@kedge/envoy-api';
import { query } from '@kedge/incremental';
import { formatDuration } from '@kedge/model';
import { alike, compareText, hasExtension, meshConfig, telemetries, telemetryKeys } from '@kedge/pushcontext';
import { type MetricChange, mergeMetrics, type ProviderMetrics } from '../telemetry/metrics.ts';
import { providerNamed } from '../telemetry/provider.ts';
import { sideOf } from '../telemetry/workload-mode.ts';
import type { ListenerClass } from './listener-class.ts';
import { filter, type NetworkFilter } from './network-filter.ts';

type PluginConfig = Messages['stats.PluginConfig'];
type MetricConfig = NonNullable<PluginConfig['metrics']>[number];

/** The extension by which Istio's Envoy knows the filter of each layer. */
const EXTENSIONS = { http: 'envoy.filters.http.istio_stats', tcp: 'envoy.filters.network.istio_stats' } as const;

/** The filters that count requests and connections in Istio's metrics, one for each provider. */
export function statsFilters(
  read: MeshRead,
  listenerClass: ListenerClass,
  layer: keyof typeof EXTENSIONS,
): readonly NetworkFilter[] {
  const filters = read(statsOf, listenerClass, read(telemetryKeys));
  return filters.length > 0 && read.fact(hasExtension, EXTENSIONS[layer]) ? filters : [];
}

const statsOf = query(
  'statsFilters',
  (read: MeshRead, listenerClass: ListenerClass, keys: string): readonly NetworkFilter[] => {
    const settings = telemetries(read, keys).flatMap(({ spec }) => spec.metrics);
    const merged = mergeMetrics(settings, meshConfig(read).defaultProviders?.metrics ?? [], sideOf(listenerClass));
    return [...merged]
      .sort(([a], [b]) => compareText(a, b))
      .filter(([name]) => providerNamed(read, name)?.prometheus)
      .map(([, metrics]) => statsFilter(listenerClass, metrics));
  },
  alike,
);

function statsFilter(listenerClass: ListenerClass, { reportingInterval, changes }: ProviderMetrics): NetworkFilter {
  return filter('istio.stats', 'stats.PluginConfig', {
    // The Host header of requests from outside is no name to put into a metric.
    ...(listenerClass === 'outbound' ? {} : { disableHostHeaderFallback: true }),
    ...(reportingInterval === undefined ? {} : { tcpReportingDuration: formatDuration(reportingInterval) }),
    ...(changes.length > 0 ? { metrics: changes.map(metricConfig) } : {}),
  });
}

function metricConfig({ name, disabled, tags }: MetricChange): MetricConfig {
  const all = Object.entries(tags).sort(([a], [b]) => compareText(a, b));
  const kept = all.filter(([, { operation }]) => operation !== 'REMOVE');
  const removed = all.filter(([, { operation }]) => operation === 'REMOVE').map(([tag]) => tag);
  return {
    name,
    ...(disabled ? { drop: true } : {}),
    ...(kept.length > 0 ? { dimensions: Object.fromEntries(kept.map(([tag, { value = '' }]) => [tag, value])) } : {}),
    ...(removed.length > 0 ? { tagsToRemove: removed } : {}),
  };
}
