import type { MeshRead } from '@kedge/config';
import { encodeParts, type Route, type VirtualHost } from '@kedge/envoy-api';
import type { Diagnostic, ObjectRef } from '@kedge/model';
import { meshConfig } from '@kedge/pushcontext';
import { encodedQuery } from '../encoded-query.ts';
import { type Generated, guardedPiece, type Origin } from '../guard.ts';
import { type EncodedPiece, versionOf } from '../resource.ts';
import { catchAllRoute } from './catch-all.ts';
import { defaultOutboundRoute } from './default-route.ts';
import { type PlanEntry, readPlanEntry, type RouteSource } from './planned-virtual-host.ts';
import { SESSION_FILTER, sessionOverride } from './session-policy.ts';
import { sidecarRoutes } from './sidecar-routes.ts';

const VIRTUAL_HOST = 'envoy.config.route.v3.VirtualHost';

/** A virtual host of the plan, assembled from routes that are encoded already. */
export const virtualHost = encodedQuery('virtualHost', (read: MeshRead, entry: PlanEntry): Generated<EncodedPiece> => {
  const { name, domains, source, session, attemptCount } = readPlanEntry(entry);
  const message: VirtualHost = {
    name,
    domains,
    ...(attemptCount ? { includeRequestAttemptCount: true } : {}),
    ...(session ? { typedPerFilterConfig: { [SESSION_FILTER]: sessionOverride(session) } } : {}),
  };
  const made = guardedPiece(VIRTUAL_HOST, name, message, originsOf(source));
  const { routes, from, diagnostics } = routesOf(read, source);
  if (!made.value) return { diagnostics: [...diagnostics, ...made.diagnostics] };
  const bytes = encodeParts(VIRTUAL_HOST, made.value.bytes, 'routes', routes);
  return { value: { name, version: versionOf(bytes), bytes }, from, diagnostics };
});

interface EncodedSource {
  readonly routes: readonly Uint8Array[];
  readonly from: readonly Origin[];
  readonly diagnostics: readonly Diagnostic[];
}

function routesOf(read: MeshRead, source: RouteSource): EncodedSource {
  switch (source.kind) {
    case 'virtual-service': {
      const { namespace, name, listener, port } = source;
      const { routes, diagnostics } = read.by(sidecarRoutes, namespace, name, listener, port);
      return {
        routes: routes.map(({ piece }) => piece.bytes),
        from: routes.flatMap((route) => route.from),
        diagnostics,
      };
    }
    case 'service':
      return encoded(defaultOutboundRoute(source, source.hash, meshConfig(read).defaultHttpRetryPolicy));
    case 'catch-all':
      return encoded(catchAllRoute(source.fallback, source.forwardsHost));
  }
}

function encoded(route: Route): EncodedSource {
  const { value, diagnostics } = guardedPiece('envoy.config.route.v3.Route', route.name ?? '', route, []);
  return { routes: value ? [value.bytes] : [], from: [], diagnostics };
}

function originsOf(source: RouteSource): readonly ObjectRef[] {
  if (source.kind !== 'virtual-service') return [];
  return [{ kind: 'VirtualService', namespace: source.namespace, name: source.name }];
}
