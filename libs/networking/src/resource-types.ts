import type { MeshRead } from '@kedge/config';
import { assembly, type Query, query } from '@kedge/incremental';
import type { Proxy } from '@kedge/model';
import { sameMembers } from '@kedge/pushcontext';
import { clusters, outboundSide } from './clusters/clusters.ts';
import { nameTable } from './dns/name-table.ts';
import { generatedLoadAssignment } from './endpoints/load-assignment.ts';
import { extensionConfig } from './envoy-filter/extension-config.ts';
import { gatewayListeners } from './gateway/listeners.ts';
import { gatewayRouteConfiguration } from './gateway/route-configuration.ts';
import { sidecarListeners } from './listeners/sidecar-listeners.ts';
import type { Generated } from './guard.ts';
import { type EncodedResource, sameVersion } from './resource.ts';
import { byNodeType } from './by-node-type.ts';
import { sidecarRouteConfiguration } from './routes/sidecar-route-configuration.ts';
import { secret } from './secrets/secret.ts';
import { trustBundle } from './trust-bundle.ts';
import { TYPE_URLS, type TypeUrl } from './type-urls.ts';

/** How the resources of a type are made: all that the proxy has, or one by its name (by itself, or with findings). */
export interface ResourceType {
  readonly all?: Query<Proxy, [], readonly EncodedResource[]>;
  readonly named?: Query<Proxy, [name: string], Generated | EncodedResource | undefined>;
  /** The names by which proxies will ask, as far as they follow from other resources; each once. */
  readonly expected?: Query<Proxy, [], readonly string[]>;
}

const listeners = byNodeType<[], readonly EncodedResource[]>(
  'listeners',
  { router: gatewayListeners, sidecar: sidecarListeners },
  [],
  sameMembers,
);

const routeConfiguration = byNodeType<[name: string], EncodedResource | undefined>(
  'routeConfiguration',
  { router: gatewayRouteConfiguration, sidecar: sidecarRouteConfiguration },
  undefined,
  sameVersion,
);

const assignmentNames = assembly(
  query(
    'assignmentNames',
    (read: MeshRead): readonly string[] =>
      read(outboundSide).flatMap(({ requires = [] }) =>
        requires.filter(({ typeUrl }) => typeUrl === TYPE_URLS.EDS).flatMap(({ names }) => names),
      ),
    sameMembers,
  ),
);

export const resourceTypes: Readonly<Record<TypeUrl, ResourceType>> = {
  'type.googleapis.com/envoy.config.cluster.v3.Cluster': { all: clusters },
  'type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment': {
    named: generatedLoadAssignment,
    expected: assignmentNames,
  },
  'type.googleapis.com/envoy.config.listener.v3.Listener': { all: listeners },
  'type.googleapis.com/envoy.config.route.v3.RouteConfiguration': { named: routeConfiguration },
  'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret': { named: secret },
  'type.googleapis.com/envoy.config.core.v3.TypedExtensionConfig': { named: extensionConfig },
  'type.googleapis.com/istio.mesh.v1alpha1.ProxyConfig': { all: trustBundle },
  'type.googleapis.com/istio.networking.nds.v1.NameTable': { all: nameTable },
};
