import type { MeshRead } from '@kedge/config';
import { hasExtension, meshConfig } from '@kedge/pushcontext';
import type { ListenerClass } from './listener-class.ts';
import { filter, type NetworkFilter } from './network-filter.ts';

/** The extension by which Istio's Envoy knows the filter of each layer. */
const EXTENSIONS = { http: 'envoy.filters.http.istio_stats', tcp: 'envoy.filters.network.istio_stats' } as const;

/** The filters that count requests and connections in Istio's metrics, one for each provider that the mesh has by default. */
export function statsFilters(
  read: MeshRead,
  listenerClass: ListenerClass,
  layer: keyof typeof EXTENSIONS,
): readonly NetworkFilter[] {
  const { defaultProviders, extensionProviders } = meshConfig(read);
  const names = new Set(defaultProviders?.metrics);
  if (names.size === 0 || !read.fact(hasExtension, EXTENSIONS[layer])) return [];
  const stats = filter('istio.stats', 'stats.PluginConfig', {
    // The Host header of requests from outside is no name to put into a metric.
    ...(listenerClass === 'outbound' ? {} : { disableHostHeaderFallback: true }),
  });
  const chosen = extensionProviders.filter(({ name, prometheus }) => prometheus && names.has(name));
  return chosen.map(() => stats);
}
