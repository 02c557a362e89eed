import { type Any, decodeAny } from '@kedge/envoy-api';
import { TYPE_URLS } from '@kedge/networking';
import type { Client } from './clients-view.ts';

/** The client of a proxy, by its id (`NAME.NAMESPACE`) or its whole node id. */
export function clientOf(clients: readonly Client[], proxyId: string): Client | undefined {
  return clients.find(({ client: { proxy } }) => proxy.id === proxyId || proxy.nodeId === proxyId);
}

/** What a client was sent, as the parts of Envoy's own `config_dump`. */
export function configDump(
  { pushVersion: versionInfo, watched }: Client,
  { endpoints }: { readonly endpoints: boolean },
): readonly Any[] {
  const resources = (type: string): readonly Any[] =>
    watched.find(({ typeUrl }) => typeUrl === type)?.answer.resources.map(({ any }) => decodeAny(any)) ?? [];
  return [
    dump('BootstrapConfigDump', {}),
    dump('ClustersConfigDump', {
      versionInfo,
      dynamicActiveClusters: resources(TYPE_URLS.CDS).map((cluster) => ({ cluster })),
    }),
    ...(endpoints
      ? [
          dump('EndpointsConfigDump', {
            dynamicEndpointConfigs: resources(TYPE_URLS.EDS).map((endpointConfig) => ({ versionInfo, endpointConfig })),
          }),
        ]
      : []),
    dump('ListenersConfigDump', {
      versionInfo,
      dynamicListeners: resources(TYPE_URLS.LDS).map((listener) => ({
        name: listener.name,
        activeState: { versionInfo, listener },
      })),
    }),
    dump('ScopedRoutesConfigDump', {}),
    dump('RoutesConfigDump', {
      dynamicRouteConfigs: resources(TYPE_URLS.RDS).map((routeConfig) => ({ versionInfo, routeConfig })),
    }),
    // Secrets are in no dump.
    dump('SecretsConfigDump', {}),
    dump('EcdsConfigDump', {
      ecdsFilters: resources(TYPE_URLS.ECDS).map((ecdsFilter) => ({ versionInfo, ecdsFilter })),
    }),
  ];
}

const dump = (name: string, fields: object): Any => ({
  '@type': `type.googleapis.com/envoy.admin.v3.${name}`,
  ...fields,
});
