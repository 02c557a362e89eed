import { decodeResource, type RenderedProxy } from '@kedge/render';

/** Names of the extensions that are used in a proxy's resources, sorted. */
export function extensionsIn(rendered: RenderedProxy): readonly string[] {
  return extensionsOf(Object.values(rendered).flatMap((resources) => resources.map(decodeResource)));
}

/** Names of the extensions that are configured anywhere in a value, such as a message or a patch, sorted. */
export function extensionsOf(value: unknown): readonly string[] {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('name' in value && typeof value.name === 'string' && CONFIGURED.some((field) => field in value)) {
      names.add(value.name);
    }
    for (const member of Object.values(value)) visit(member);
  };
  visit(value);
  return [...names].sort();
}

/** By which of its fields an extension is known, as messages have them and as people write them. */
const CONFIGURED = ['typedConfig', 'typed_config', 'configDiscovery', 'config_discovery'];

/** Extensions of Istio's Envoy that the stock one hasn't got, by the names under which filters are configured. */
export const istioExtensions: ReadonlySet<string> = new Set([
  'istio.alpn',
  'istio.metadata_exchange',
  'istio.stats',
  'envoy.filters.http.peer_metadata',
  'waypoint_downstream_peer_metadata',
  'waypoint_upstream_peer_metadata',
  'envoy.filters.network.mysql_proxy',
]);
