import type { MeshRead } from '@kedge/config';
import { encode, encodeParts, type Messages } from '@kedge/envoy-api';
import { query } from '@kedge/incremental';
import type { Diagnostic } from '@kedge/model';
import { serversOfRoute } from '@kedge/pushcontext';
import { type Generated, guardedPiece, sameGenerated } from '../guard.ts';
import { type EncodedPiece, type EncodedResource, resourceOfBytes, sameVersion, versionOf } from '../resource.ts';
import { includesAttemptCount } from '../proxy-headers.ts';
import { SESSION_FILTER, sessionOverride } from '../routes/session-policy.ts';
import { type VirtualHostPlan, virtualHostPlans } from './virtual-host-plan.ts';
import {
  type BoundService,
  boundServiceArguments,
  gatewayRoutes,
  leadsTo,
  sessionOf,
} from './virtual-service-routes.ts';

const ROUTES = 'envoy.config.route.v3.RouteConfiguration';
const VIRTUAL_HOST = 'envoy.config.route.v3.VirtualHost';
type VirtualHost = Messages[typeof VIRTUAL_HOST];

/** The longest body that a direct response may have: 1 MiB. */
const MAX_DIRECT_RESPONSE = 1_048_576;

/** A virtual host by its plan (as JSON), so that equal plans of several ports and proxies share it. */
const virtualHost = query(
  'gatewayVirtualHost',
  (read: MeshRead, planJson: string): Generated<EncodedPiece> => {
    const { name, domains, requiresTls, services } = JSON.parse(planJson) as VirtualHostPlan;
    const bound = services.map((service) => read(gatewayRoutes, ...boundServiceArguments(service)));
    const message: VirtualHost = {
      name,
      domains: [...domains],
      ...(requiresTls ? { requireTls: 'ALL' } : {}),
      ...sessions(read, domains[0] ?? '', services[0]),
      ...(read.by(includesAttemptCount) ? { includeRequestAttemptCount: true } : {}),
    };
    const guarded = guardedPiece(
      VIRTUAL_HOST,
      name,
      message,
      services.map((service) => ({ kind: 'VirtualService', namespace: service.namespace, name: service.name })),
    );
    const diagnostics = [...bound.flatMap((routes) => routes.diagnostics), ...guarded.diagnostics];
    if (!guarded.value) return { diagnostics };
    const routes = bound.flatMap((found) => found.routes);
    // Several VirtualServices may have this host: what lets all requests through must not hide the others' routes.
    const ordered = [...routes.filter((route) => !route.matchesAll), ...routes.filter((route) => route.matchesAll)];
    const parts = ordered.map(({ piece }) => piece.bytes);
    const bytes = encodeParts(VIRTUAL_HOST, guarded.value.bytes, 'routes', parts);
    const from = ordered.flatMap((route) => route.from);
    return { value: { name, version: versionOf(bytes), bytes }, from, diagnostics };
  },
  sameGenerated,
);

/** What the session filter does for a host that is itself a service with lasting sessions, and routed to. */
function sessions(read: MeshRead, host: string, bound: BoundService | undefined): VirtualHost {
  const policy = bound && sessionOf(read, host, bound.namespace);
  if (!policy || !read(leadsTo, bound.namespace, bound.name, host)) return {};
  return { typedPerFilterConfig: { [SESSION_FILTER]: sessionOverride(policy) } };
}

/** A route configuration of a gateway's, with what had to be left out of it. */
const generatedGatewayRoutes = query(
  'generatedGatewayRoutes',
  (read: MeshRead, name: string): Generated => {
    const plans = read.by(virtualHostPlans, name);
    // Envoy still asks for the routes of a listener that it drains.
    if (!plans) return { value: configuration(name, { validateClusters: false }, []), diagnostics: [] };
    const hosts = plans.map((plan) => read(virtualHost, JSON.stringify(plan)));
    const pieces = hosts.map(({ value }) => value).filter((value) => value !== undefined);
    const diagnostics: readonly Diagnostic[] = hosts.flatMap((host) => host.diagnostics);
    const [server] = read.by(serversOfRoute, name);
    const settings = {
      validateClusters: false,
      maxDirectResponseBodySizeBytes: MAX_DIRECT_RESPONSE,
      ignorePortInHostMatching: true,
      ...(pieces.length === 0 ? { virtualHosts: [nothing(server?.port ?? 0)] } : {}),
    };
    return { value: configuration(name, settings, pieces), diagnostics };
  },
  sameGenerated,
);

/** Answers every request with 404. */
const nothing = (port: number): VirtualHost => ({ name: `blackhole:${port}`, domains: ['*'] });

function configuration(
  name: string,
  settings: Messages[typeof ROUTES],
  virtualHosts: readonly EncodedPiece[],
): EncodedResource {
  const skeleton = encode(ROUTES, { name, ...settings });
  const parts = virtualHosts.map(({ bytes }) => bytes);
  return resourceOfBytes(ROUTES, name, encodeParts(ROUTES, skeleton, 'virtualHosts', parts));
}

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
