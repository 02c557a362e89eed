import type { MeshRead } from '@kedge/config';
import type { VirtualHost } from '@kedge/envoy-api';
import { query } from '@kedge/incremental';
import type { Diagnostic } from '@kedge/model';
import { alike, mergedGateway, serversOfRoute } from '@kedge/pushcontext';
import { encodedQuery } from '../encoded-query.ts';
import { patchedRoutes } from '../envoy-filter/patched-routes.ts';
import { type Generated } from '../guard.ts';
import { type EncodedResource, sameVersion } from '../resource.ts';
import { gatewayRoutePlace } from './route-place.ts';
import { gatewayVirtualHost } from './virtual-host.ts';
import { virtualHostPlans } from './virtual-host-plan.ts';

/** The longest body that a direct response may have: 1 MiB. */
const MAX_DIRECT_RESPONSE = 1_048_576;

/** A route configuration of a gateway's, with what had to be left out of it. */
const generatedGatewayRoutes = encodedQuery('generatedGatewayRoutes', (read: MeshRead, name: string): Generated => {
  const plans = read.by(virtualHostPlans, name)?.map((plan) => JSON.stringify(plan)) ?? [];
  const made = plans.map((plan) => read(gatewayVirtualHost, plan));
  const servers = read.by(serversOfRoute, name);
  const [server] = servers;
  const isEmpty = made.every(({ value }) => value === undefined);
  // Envoy still asks for the routes of a listener that it drains.
  const skeleton = server
    ? {
        name,
        validateClusters: false,
        maxDirectResponseBodySizeBytes: MAX_DIRECT_RESPONSE,
        ignorePortInHostMatching: true,
        ...(isEmpty ? { virtualHosts: [nothing(server.port)] } : {}),
      }
    : { name, validateClusters: false };
  return patchedRoutes(read, 'GATEWAY', skeleton, { maker: 'gateway', plans, made }, () => ({
    name,
    ...gatewayRoutePlace(name),
    ports: read.by(portsOfRoute, name),
  }));
});

/** The ports of all servers whose routes are named by the same port of the workload. */
const portsOfRoute = query(
  'gatewayPortsOfRoute',
  (read: MeshRead, name: string): readonly number[] => {
    const { port } = gatewayRoutePlace(name);
    const servers = read.by(mergedGateway).listeners.flatMap((listener) => listener.servers);
    const same = servers.filter(({ routeName }) => gatewayRoutePlace(routeName).port === port);
    return same.length > 0 ? [...new Set(same.map((server) => server.port))].sort((a, b) => a - b) : [port];
  },
  alike,
);

/** Answers every request with 404. */
const nothing = (port: number): VirtualHost => ({ name: `blackhole:${port}`, domains: ['*'] });

export const gatewayRouteConfiguration = query(
  'gatewayRouteConfiguration',
  (read: MeshRead, name: string): EncodedResource | undefined => read(generatedGatewayRoutes, name).value,
  sameVersion,
);

/** What had to be left out of a route configuration of a gateway's, and why. */
export const gatewayRouteDiagnostics = query(
  'gatewayRouteDiagnostics',
  (read: MeshRead, name: string): readonly Diagnostic[] => read(generatedGatewayRoutes, name).diagnostics,
);
