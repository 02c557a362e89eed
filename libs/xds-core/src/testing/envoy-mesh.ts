import { createHash } from 'node:crypto';
import { encodeAny, type Messages, packAny } from '@kedge/envoy-api';
import { Answer, type EncodedResource, type Requirement } from '../answer.ts';
import { GeneratorRegistry } from '../generator-registry.ts';
import { TypeUrl } from '../type-urls.ts';

/** What a real Envoy is to do: send everything that comes to its listener to one of several upstreams. */
export interface EnvoyMesh {
  readonly listenerPort: number;
  /** Upstreams by cluster name; each cluster gets its assignment by EDS. */
  readonly clusters: Readonly<Record<string, { readonly port: number; readonly connectTimeout: string }>>;
  /** The cluster that the route leads to. */
  readonly routeTo: string;
  /** Goes into the listener, so that it changes while its route configuration stays. */
  readonly statPrefix: string;
}

const viaAds = { ads: {}, resourceApiVersion: 'V3' } as const;

export function envoyGenerators(): GeneratorRegistry<EnvoyMesh, unknown> {
  const types: Readonly<Record<string, (mesh: EnvoyMesh) => readonly EncodedResource[]>> = {
    [TypeUrl.cluster]: clusters,
    [TypeUrl.endpoint]: assignments,
    [TypeUrl.listener]: listeners,
    [TypeUrl.route]: routes,
  };
  return new GeneratorRegistry(
    Object.entries(types).map(([typeUrl, make]) => [
      typeUrl,
      {
        generate: ({ snapshot, subscription }) =>
          new Answer(make(snapshot).filter(({ name }) => subscription.includes(name))),
      },
    ]),
  );
}

function clusters({ clusters: all }: EnvoyMesh): readonly EncodedResource[] {
  return Object.entries(all).map(([name, { connectTimeout }]) =>
    encoded(
      'envoy.config.cluster.v3.Cluster',
      name,
      { name, type: 'EDS', edsClusterConfig: { edsConfig: viaAds }, connectTimeout },
      [{ typeUrl: TypeUrl.endpoint, names: [name] }],
    ),
  );
}

function assignments({ clusters: all }: EnvoyMesh): readonly EncodedResource[] {
  return Object.entries(all).map(([name, { port }]) => {
    const address = { socketAddress: { address: '127.0.0.1', portValue: port } };
    return encoded('envoy.config.endpoint.v3.ClusterLoadAssignment', name, {
      clusterName: name,
      endpoints: [{ lbEndpoints: [{ endpoint: { address } }] }],
    });
  });
}

function listeners({ listenerPort, statPrefix }: EnvoyMesh): readonly EncodedResource[] {
  const router = packAny('envoy.extensions.filters.http.router.v3.Router', {});
  const manager = packAny('envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager', {
    statPrefix,
    rds: { routeConfigName: 'main', configSource: viaAds },
    httpFilters: [{ name: 'envoy.filters.http.router', typedConfig: router }],
  });
  return [
    encoded(
      'envoy.config.listener.v3.Listener',
      'main',
      {
        name: 'main',
        address: { socketAddress: { address: '127.0.0.1', portValue: listenerPort } },
        filterChains: [{ filters: [{ name: 'envoy.filters.network.http_connection_manager', typedConfig: manager }] }],
      },
      [{ typeUrl: TypeUrl.route, names: ['main'] }],
    ),
  ];
}

function routes({ routeTo }: EnvoyMesh): readonly EncodedResource[] {
  const route = { match: { prefix: '/' }, route: { cluster: routeTo } };
  return [
    encoded('envoy.config.route.v3.RouteConfiguration', 'main', {
      name: 'main',
      virtualHosts: [{ name: 'all', domains: ['*'], routes: [route] }],
    }),
  ];
}

function encoded<N extends keyof Messages>(
  type: N,
  name: string,
  message: Messages[N],
  requires?: readonly Requirement[],
): EncodedResource {
  const any = encodeAny(packAny(type, message));
  return { name, version: createHash('sha256').update(any).digest('hex').slice(0, 16), any, requires };
}
