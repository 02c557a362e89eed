import { decodeResource, type RenderedProxy } from '@kedge/render';

/** Names of the extensions that are used in a proxy's resources, sorted. */
export function extensionsIn(rendered: RenderedProxy): readonly string[] {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('name' in value && typeof value.name === 'string' && ('typedConfig' in value || 'configDiscovery' in value)) {
      names.add(value.name);
    }
    for (const member of Object.values(value)) visit(member);
  };
  for (const resources of Object.values(rendered)) for (const resource of resources) visit(decodeResource(resource));
  return [...names].sort();
}

/** Extensions of Istio's own Envoy, by the names under which filters are configured. */
export const istioExtensions: ReadonlySet<string> = new Set([
  'istio.alpn',
  'istio.metadata_exchange',
  'istio.stats',
  'envoy.filters.http.peer_metadata',
  'waypoint_downstream_peer_metadata',
  'waypoint_upstream_peer_metadata',
]);
