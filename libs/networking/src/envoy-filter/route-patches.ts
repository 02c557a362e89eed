import { merge, type Route, type RouteConfiguration, type VirtualHost } from '@kedge/envoy-api';
import type { EnvoyFilterMatch } from '@kedge/model';
import { edited, mapped } from './list-edits.ts';
import { isFor, listsOf, merges, type Patch } from './patch.ts';
import type { Change } from './patched.ts';

/** What a patch can know a route configuration by. */
export interface RoutePlace {
  readonly name: string;
  /** The ports by which clients may address it. */
  readonly ports: readonly number[];
  /** Of a gateway's: the name of the server's port, and the Gateway as `namespace/name`. */
  readonly portName?: string;
  readonly gateway?: string;
}

/** Whether a patch is for (parts of) a route configuration. */
export function hitsRoutes({ match }: Patch, { name, ports, portName, gateway }: RoutePlace): boolean {
  const wanted = match.routeConfiguration;
  if (!wanted) return true;
  return (
    (!wanted.name || wanted.name === name) &&
    (!wanted.portNumber || ports.includes(wanted.portNumber)) &&
    (portName === undefined || !wanted.portName || wanted.portName === portName) &&
    (gateway === undefined || !wanted.gateway || wanted.gateway === gateway)
  );
}

/** Whether a patch is for (parts of) a virtual host. */
export function hitsVirtualHost({ match }: Patch, { name = '', domains = [] }: VirtualHost): boolean {
  const { vhost } = match.routeConfiguration ?? {};
  return (!vhost?.name || vhost.name === name) && (!vhost?.domainName || domains.includes(vhost.domainName));
}

type RouteMatch = NonNullable<NonNullable<NonNullable<EnvoyFilterMatch['routeConfiguration']>['vhost']>['route']>;

const routeOf = ({ match }: Patch): RouteMatch | undefined => match.routeConfiguration?.vhost?.route;

const ACTIONS = { ROUTE: 'route', REDIRECT: 'redirect', DIRECT_RESPONSE: 'directResponse' } as const;

function hitsRoute(patch: Patch, route: Route): boolean {
  const { name, action = 'ANY' } = routeOf(patch) ?? {};
  if (name && name !== route.name) return false;
  // Routes that do none of the three are taken by any match.
  return action === 'ANY' || ACTIONS[action] in route || !Object.values(ACTIONS).some((known) => known in route);
}

/** What patches do to a virtual host: what is for it as a whole, then for each of its routes, then for their list. */
export function virtualHostChanges(patches: readonly Patch[]): readonly Change<VirtualHost>[] {
  const whole = patches.filter((patch) => isFor(patch, 'VIRTUAL_HOST'));
  const routes = patches.filter((patch) => isFor(patch, 'HTTP_ROUTE'));
  return [
    ...changes(whole, changedVirtualHost),
    ...changes(routes, (host, patch) => withRoutes(host, (list) => mapped(list, (one) => changedRoute(one, patch)))),
    ...changes(routes, (host, patch) => withRoutes(host, (list) => listedRoutes(list, patch))),
  ];
}

function changes<P extends Patch>(
  patches: readonly P[],
  change: (host: VirtualHost, patch: P) => VirtualHost | undefined,
): readonly Change<VirtualHost>[] {
  return patches.map((patch) => ({
    patch,
    of: (host) => (hitsVirtualHost(patch, host) ? change(host, patch) : host),
  }));
}

function changedVirtualHost(host: VirtualHost, patch: Patch<'VIRTUAL_HOST'>): VirtualHost | undefined {
  if (patch.operation === 'REMOVE') return undefined;
  if (patch.operation === 'REPLACE') return patch.value;
  return merges(patch) ? merge('envoy.config.route.v3.VirtualHost', host, patch.value, listsOf(patch)) : host;
}

function changedRoute(route: Route, patch: Patch<'HTTP_ROUTE'>): Route | undefined {
  if (!hitsRoute(patch, route)) return route;
  if (patch.operation === 'REMOVE') return undefined;
  return merges(patch) ? merge('envoy.config.route.v3.Route', route, patch.value, listsOf(patch)) : route;
}

function listedRoutes(routes: readonly Route[], patch: Patch<'HTTP_ROUTE'>): readonly Route[] {
  const { operation, value } = patch;
  if (operation !== 'ADD' && !operation.startsWith('INSERT')) return routes;
  if (!routeOf(patch)) return edited(routes, operation, value);
  const isTarget = (route: Route): boolean => hitsRoute(patch, route);
  // Also what comes first comes only where the route that it names is.
  return operation === 'INSERT_FIRST' && !routes.some(isTarget) ? routes : edited(routes, operation, value, isTarget);
}

function withRoutes(host: VirtualHost, change: (routes: readonly Route[]) => readonly Route[]): VirtualHost {
  const { routes = [] } = host;
  const changed = change(routes);
  return changed === routes ? host : { ...host, routes: changed };
}

const ROUTES = 'envoy.config.route.v3.RouteConfiguration';

/** What patches do to a route configuration itself; its virtual hosts, and any that these bring, come after. */
export function routeConfigurationChanges(patches: readonly Patch[]): readonly Change<RouteConfiguration>[] {
  return patches
    .filter((patch) => isFor(patch, 'ROUTE_CONFIGURATION'))
    .filter(merges)
    .map((patch) => ({ patch, of: (routes) => merge(ROUTES, routes, patch.value, listsOf(patch)) }));
}

/** The same for one that stands in a listener, with its virtual hosts in it. */
export function inlineRoutesChanges(patches: readonly Patch[]): readonly Change<RouteConfiguration>[] {
  const within = virtualHostChanges(patches).map(({ patch, of }) => ({
    patch,
    of: (routes: RouteConfiguration) => withHosts(routes, (hosts) => mapped(hosts, of)),
  }));
  const added = addedVirtualHosts(patches).map((patch) => ({
    patch,
    of: (routes: RouteConfiguration) => withHosts(routes, (hosts) => [...hosts, patch.value]),
  }));
  return [...routeConfigurationChanges(patches), ...within, ...added];
}

function withHosts(
  routes: RouteConfiguration,
  change: (hosts: readonly VirtualHost[]) => readonly VirtualHost[],
): RouteConfiguration {
  const { virtualHosts = [] } = routes;
  const changed = change(virtualHosts);
  return changed === virtualHosts ? routes : { ...routes, virtualHosts: changed };
}

export const addedVirtualHosts = (patches: readonly Patch[]): readonly Patch<'VIRTUAL_HOST'>[] =>
  patches.filter((patch) => isFor(patch, 'VIRTUAL_HOST')).filter(({ operation }) => operation === 'ADD');
