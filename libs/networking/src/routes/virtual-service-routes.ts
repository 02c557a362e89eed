import { type Any, packAny, type Route } from '@kedge/envoy-api';
import type { Diagnostic, HTTPMatchRequest, HTTPRoute } from '@kedge/model';
import type { ResolvedVirtualService, RouteOrigin } from '@kedge/pushcontext';
import type { Origin } from '../guard.ts';
import { CORS_FILTER, corsPolicy } from './cors-policy.ts';
import { directResponse } from './direct-response.ts';
import { FAULT_FILTER, fault } from './fault.ts';
import { headerChanges, joinHeaderChanges, presentHeaderChanges } from './header-operations.ts';
import { redirectAction } from './redirect.ts';
import { forwardingRoute } from './route-action.ts';
import type { RouteContext } from './route-context.ts';
import { matchesAll, routeMatch } from './route-match.ts';
import { routeOperation } from './route-operation.ts';
import { badActionRegex, badMatchRegex, type RegexFinding } from './route-regexes.ts';
import { SESSION_FILTER, sessionOverride, type SessionPolicy } from './session-policy.ts';

/** Routes in the order in which Envoy tries them, and what had to be left out. */
export interface GeneratedRoutes {
  readonly routes: readonly Route[];
  /** Where each route was written. */
  readonly origins: readonly (Origin | undefined)[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The routes of a VirtualService, one for each match that can occur at the listener. They end with the first that lets
 * everything through, for nothing gets past it.
 */
export function virtualServiceRoutes(service: ResolvedVirtualService, context: RouteContext): GeneratedRoutes {
  const routes: Route[] = [];
  const origins: (Origin | undefined)[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const [at, route] of service.spec.http.entries()) {
    const origin = service.httpOrigins[at];
    const unusable = badActionRegex(route);
    if (unusable) {
      if (origin) diagnostics.push(leftOut(origin, '', unusable));
      continue;
    }
    const matches = route.match.length > 0 ? route.match : [undefined];
    for (const [index, match] of matches.entries()) {
      if (match && !applies(match, context)) continue;
      const bad = match && badMatchRegex(match);
      if (bad) {
        if (origin) diagnostics.push(leftOut(origin, `match[${index}].`, bad));
        continue;
      }
      const made = makeRoute(service, route, match, context);
      routes.push(made);
      origins.push(origin && writtenAt(origin, match && index));
      if (made.match && matchesAll(made.match)) return { routes, origins, diagnostics };
    }
  }
  return { routes, origins, diagnostics };
}

function writtenAt({ object, field }: RouteOrigin, match: number | undefined): Origin {
  return { ...object, field: match === undefined ? field : `${field}.match[${match}]` };
}

/** Whether requests at the listener can meet the match. Labels and namespaces tell sidecars apart, gateways listeners. */
function applies(match: HTTPMatchRequest, context: RouteContext): boolean {
  if (match.port && match.port !== context.port) return false;
  if (match.gateways.length > 0) return match.gateways.some((gateway) => context.gateways.has(gateway));
  return (
    context.isFrom(match.sourceLabels) && (!match.sourceNamespace || context.isFromNamespace(match.sourceNamespace))
  );
}

function leftOut(origin: RouteOrigin, place: string, { field, problem }: RegexFinding): Diagnostic {
  return {
    ...origin.object,
    severity: 'error',
    code: 'invalid-regex',
    field: `${origin.field}.${place}${field}`,
    message: `the route is left out: ${problem}`,
  };
}

function makeRoute(
  service: ResolvedVirtualService,
  route: HTTPRoute,
  matched: HTTPMatchRequest | undefined,
  context: RouteContext,
): Route {
  const { namespace, name, semantics } = service;
  const match = routeMatch(matched, semantics);
  const routeName = [route.name, matched?.name || undefined];
  const own = headerChanges(route.headers);
  const forward =
    route.redirect || route.directResponse ? undefined : forwardingRoute(route, match, semantics, context);
  const action: Route = forward
    ? { route: forward.action }
    : route.redirect
      ? redirectAction(route.redirect, context)
      : { directResponse: route.directResponse && directResponse(route.directResponse) };
  const headers = forward ? joinHeaderChanges(own, forward.headers) : own;
  const filters = filterSettings(route, forward ? sessionOf(route, context) : undefined);
  return {
    ...(routeName[1] === undefined ? (route.name ? { name: route.name } : {}) : { name: routeName.join('.') }),
    match,
    ...action,
    metadata: {
      filterMetadata: {
        istio: { config: `/apis/networking.istio.io/v1/namespaces/${namespace}/virtual-service/${name}` },
      },
    },
    decorator: { operation: routeOperation({ match, ...action }, name, context.port) },
    ...(Object.keys(filters).length > 0 ? { typedPerFilterConfig: filters } : {}),
    ...presentHeaderChanges(context.advertisesHttp3 ? joinHeaderChanges(headers, http3Advert(context.port)) : headers),
    ...(matched?.statPrefix ? { statPrefix: matched.statPrefix } : {}),
  };
}

/** What a route says to filters other than the router. */
function filterSettings(route: HTTPRoute, session: SessionPolicy | undefined): Readonly<Record<string, Any>> {
  return {
    ...(route.corsPolicy
      ? { [CORS_FILTER]: packAny('envoy.extensions.filters.http.cors.v3.CorsPolicy', corsPolicy(route.corsPolicy)) }
      : {}),
    ...(route.fault
      ? { [FAULT_FILTER]: packAny('envoy.extensions.filters.http.fault.v3.HTTPFault', fault(route.fault)) }
      : {}),
    ...(session ? { [SESSION_FILTER]: sessionOverride(session) } : {}),
  };
}

/** A route has one session policy: that of the first of its destinations that has one. */
function sessionOf(route: HTTPRoute, context: RouteContext): SessionPolicy | undefined {
  for (const { destination } of route.route) {
    const session = destination && context.sessionOf(destination.host);
    if (session) return session;
  }
  return undefined;
}

/** RFC 7838: the same host and port by HTTP/3, for a day. */
function http3Advert(port: number): ReturnType<typeof headerChanges> {
  return {
    requestHeadersToAdd: [],
    requestHeadersToRemove: [],
    responseHeadersToRemove: [],
    responseHeadersToAdd: [{ header: { key: 'alt-svc', value: `h3=":${port}"; ma=86400` } }],
  };
}
