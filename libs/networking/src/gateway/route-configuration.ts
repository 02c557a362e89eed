import type { MeshRead } from '@kedge/config';
import type { VirtualHost } from '@kedge/envoy-api';
import { assembly, query } from '@kedge/incremental';
import type { Diagnostic } from '@kedge/model';
import { mergedGateway, serversOfRoute } from '@kedge/pushcontext';
import { encodedQuery } from '../encoded-query.ts';
import { patchedRoutes } from '../envoy-filter/patched-routes.ts';
import { MAX_DIRECT_RESPONSE_BYTES } from '../envoy-rules/route-rules.ts';
import { type Generated } from '../guard.ts';
import { type EncodedResource, sameVersion } from '../resource.ts';
import { gatewayRoutePlace } from './route-place.ts';
import { gatewayVirtualHost } from './virtual-host.ts';
import { virtualHostPlans } from './virtual-host-plan.ts';

/** A route configuration of a gateway's, with what had to be left out of it. */
const generatedGatewayRoutes = assembly(
  encodedQuery('generatedGatewayRoutes', (read: MeshRead, name: string): Generated => {
    const plans = read.by(virtualHostPlans, name).split('\n').filter(Boolean);
    const made = plans.map((plan) => read(gatewayVirtualHost, plan));
    const port = read.by(portOfRoute, name);
    const isEmpty = made.every(({ value }) => value === undefined);
    // Envoy still asks for the routes of a listener that it drains.
    const skeleton =
      port === undefined
        ? { name, validateClusters: false }
        : {
            name,
            validateClusters: false,
            maxDirectResponseBodySizeBytes: MAX_DIRECT_RESPONSE_BYTES,
            ignorePortInHostMatching: true,
            ...(isEmpty ? { virtualHosts: [nothing(port)] } : {}),
          };
    return patchedRoutes(read, 'GATEWAY', skeleton, { maker: 'gateway', plans, made }, () => ({
      name,
      ...gatewayRoutePlace(name),
      ports: read.by(portsOfRoute, name).split(',').map(Number),
    }));
  }),
);

/** The port of the first server that has routes of that name, if there is one. */
const portOfRoute = query(
  'gatewayPortOfRoute',
  (read: MeshRead, name: string): number | undefined => read.by(serversOfRoute, name)[0]?.port,
);

/** The ports of all servers whose routes are named by the same port of the workload, separated by commas. */
const portsOfRoute = query('gatewayPortsOfRoute', (read: MeshRead, name: string): string => {
  const { port } = gatewayRoutePlace(name);
  const servers = read.by(mergedGateway).listeners.flatMap((listener) => listener.servers);
  const same = servers.filter(({ routeName }) => gatewayRoutePlace(routeName).port === port);
  const ports = same.length > 0 ? new Set(same.map((server) => server.port)) : [port];
  return [...ports].sort((a, b) => a - b).join(',');
});

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
