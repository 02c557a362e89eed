import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import type { Hostname, Service } from '@kedge/model';
import { aliasTarget, configNamespace, features, scopeServicesOfHost, virtualService } from '@kedge/pushcontext';
import { isVisibleTo } from '@kedge/model';
import { servicesOfKey } from '@kedge/registry';
import { type EncodedRoutes, encodeRoutes, NO_ROUTES, sameRoutes } from '../routes/encoded-routes.ts';
import { type DestinationView, routeContext } from '../routes/route-context.ts';
import { type SessionPolicy, sessionPolicyOf } from '../routes/session-policy.ts';
import { virtualServiceRoutes } from '../routes/virtual-service-routes.ts';

/** A VirtualService on a port of a gateway. */
export interface BoundService {
  readonly namespace: string;
  readonly name: string;
  /** `namespace/name`. */
  readonly gateway: string;
  readonly port: number;
  readonly tls: boolean;
  readonly advertisesHttp3: boolean;
}

export const boundServiceArguments = (bound: BoundService) =>
  [bound.namespace, bound.name, bound.gateway, bound.port, bound.tls, bound.advertisesHttp3] as const;

/** The routes of a VirtualService on a port of a gateway, each encoded once for all virtual hosts that have it. */
export const gatewayRoutes = query(
  'gatewayRoutes',
  (
    read: MeshRead,
    namespace: string,
    name: string,
    gateway: string,
    port: number,
    tls: boolean,
    advertisesHttp3: boolean,
  ): EncodedRoutes => {
    const service = read(virtualService, namespace, name);
    if (!service) return NO_ROUTES;
    const listener = { gateways: new Set([gateway]), port, tls, advertisesHttp3 };
    const context = routeContext(read, listener, destinationsOf(read, namespace, port));
    return encodeRoutes(virtualServiceRoutes(service, context), service);
  },
  sameRoutes,
);

/** Whether any route of the VirtualService can occur there. */
export const hasGatewayRoutes = query(
  'hasGatewayRoutes',
  (
    read: MeshRead,
    namespace: string,
    name: string,
    gateway: string,
    port: number,
    tls: boolean,
    advertisesHttp3: boolean,
  ): boolean => read(gatewayRoutes, namespace, name, gateway, port, tls, advertisesHttp3).routes.length > 0,
);

/** The service that a VirtualService means by a host: of its own namespace, else what the proxy sees under the name. */
const destinationService = query(
  'gatewayDestination',
  (read: MeshRead, host: Hostname, namespace: string): Service | undefined => {
    const [own] = read(servicesOfKey, host, namespace);
    if (own && isVisibleTo(own.exportTo, read.fact(configNamespace))) return own;
    return read(scopeServicesOfHost, host)[0];
  },
);

function destinationsOf(read: MeshRead, namespace: string, listenPort: number): DestinationView {
  const serviceOf = (host: Hostname): Service | undefined => read.by(destinationService, host, namespace);
  return {
    aliasTarget: (host) => {
      const service = serviceOf(host);
      return service ? aliasTarget(service) : '';
    },
    defaultPort: (host) => {
      const ports = serviceOf(host)?.ports ?? [];
      return ports.length === 1 && ports[0] ? ports[0].port : listenPort;
    },
    sessionOf: (host) => sessionOf(read, host, namespace),
  };
}

/** How sessions with a host last, where they do. */
export function sessionOf(read: MeshRead, host: Hostname, namespace: string): SessionPolicy | undefined {
  const switches = features(read);
  if (!switches.persistentSessions) return undefined;
  const service = read.by(destinationService, host, namespace);
  return service && sessionPolicyOf(service.labels, switches);
}

/** Whether HTTP routes of a VirtualService lead to the host. */
export const leadsTo = query(
  'gatewayServiceLeadsTo',
  (read: MeshRead, namespace: string, name: string, host: Hostname): boolean =>
    (read(virtualService, namespace, name)?.spec.http ?? []).some(({ route, mirror, mirrors }) =>
      [...route.map(({ destination }) => destination), mirror, ...mirrors.map(({ destination }) => destination)].some(
        (destination) => destination?.host === host,
      ),
    ),
);
