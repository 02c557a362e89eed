import type { Diagnostic, ObjectRef } from '@kedge/model';
import type { ResolvedVirtualService } from '@kedge/pushcontext';
import { guardedPiece, type Origin, sameOrigins } from '../guard.ts';
import { type EncodedPiece, sameVersion } from '../resource.ts';
import { matchesAll } from './route-match.ts';
import type { GeneratedRoutes } from './virtual-service-routes.ts';

interface EncodedRoute {
  readonly piece: EncodedPiece;
  /** Whether no request gets past it. */
  readonly matchesAll: boolean;
  /** Where it was written; then what else had a part in it. */
  readonly from: readonly Origin[];
}

/** Routes encoded once for all virtual hosts that have them. */
export interface EncodedRoutes {
  readonly routes: readonly EncodedRoute[];
  readonly diagnostics: readonly Diagnostic[];
}

export const NO_ROUTES: EncodedRoutes = { routes: [], diagnostics: [] };

/** Encodes the routes of a VirtualService, except those that Envoy would refuse. */
export function encodeRoutes(
  { routes, origins, diagnostics }: GeneratedRoutes,
  service: ResolvedVirtualService,
): EncodedRoutes {
  const encoded: EncodedRoute[] = [];
  const problems = [...diagnostics];
  for (const [at, route] of routes.entries()) {
    const name = route.name ?? `${service.name}.${service.namespace}`;
    const from = originsOf(origins[at], service.from);
    const generated = guardedPiece('envoy.config.route.v3.Route', name, route, from);
    problems.push(...generated.diagnostics);
    if (generated.value) encoded.push({ piece: generated.value, matchesAll: matchesAll(route.match ?? {}), from });
  }
  return { routes: encoded, diagnostics: problems };
}

/** The place where a route was written, before the other objects that lead to it. */
function originsOf(written: Origin | undefined, objects: readonly ObjectRef[]): readonly Origin[] {
  if (!written) return objects;
  const others = objects.filter(({ namespace, name }) => namespace !== written.namespace || name !== written.name);
  return [written, ...others];
}

export function sameRoutes(a: EncodedRoutes, b: EncodedRoutes): boolean {
  return (
    a.routes.length === b.routes.length &&
    a.routes.every(({ piece, from }, at) => {
      const other = b.routes[at];
      return sameVersion(piece, other?.piece) && sameOrigins(from, other?.from ?? []);
    }) &&
    a.diagnostics.length === b.diagnostics.length &&
    a.diagnostics.every(({ message, field }, at) => {
      const other = b.diagnostics[at];
      return message === other?.message && field === other.field;
    })
  );
}
