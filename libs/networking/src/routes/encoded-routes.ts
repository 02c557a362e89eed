import type { Diagnostic } from '@kedge/model';
import type { ResolvedVirtualService } from '@kedge/pushcontext';
import { guardedPiece } from '../guard.ts';
import { type EncodedPiece, sameVersion } from '../resource.ts';
import { matchesAll } from './route-match.ts';
import { unstatedProblems } from './unstated-rules.ts';
import type { GeneratedRoutes } from './virtual-service-routes.ts';

interface EncodedRoute {
  readonly piece: EncodedPiece;
  /** Whether no request gets past it. */
  readonly matchesAll: boolean;
}

/** Routes encoded once for all virtual hosts that have them. */
export interface EncodedRoutes {
  readonly routes: readonly EncodedRoute[];
  readonly diagnostics: readonly Diagnostic[];
}

export const NO_ROUTES: EncodedRoutes = { routes: [], diagnostics: [] };

/** Encodes the routes of a VirtualService, except those that Envoy would refuse. */
export function encodeRoutes({ routes, diagnostics }: GeneratedRoutes, service: ResolvedVirtualService): EncodedRoutes {
  const encoded: EncodedRoute[] = [];
  const problems = [...diagnostics];
  for (const route of routes) {
    const name = route.name ?? `${service.name}.${service.namespace}`;
    const generated = guardedPiece('envoy.config.route.v3.Route', name, route, service.from, unstatedProblems(route));
    problems.push(...generated.diagnostics);
    if (generated.value) encoded.push({ piece: generated.value, matchesAll: matchesAll(route.match ?? {}) });
  }
  return { routes: encoded, diagnostics: problems };
}

export function sameRoutes(a: EncodedRoutes, b: EncodedRoutes): boolean {
  return (
    a.routes.length === b.routes.length &&
    a.routes.every(({ piece }, at) => sameVersion(piece, b.routes[at]?.piece)) &&
    a.diagnostics.length === b.diagnostics.length &&
    a.diagnostics.every(({ message, field }, at) => {
      const other = b.diagnostics[at];
      return message === other?.message && field === other.field;
    })
  );
}
