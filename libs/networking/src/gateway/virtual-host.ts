import type { MeshRead } from '@kedge/config';
import { encodeParts, type VirtualHost } from '@kedge/envoy-api';
import { encodedQuery } from '../encoded-query.ts';
import { type Generated, guardedPiece } from '../guard.ts';
import { includesAttemptCount } from '../proxy-headers.ts';
import { type EncodedPiece, versionOf } from '../resource.ts';
import { SESSION_FILTER, sessionOverride } from '../routes/session-policy.ts';
import type { VirtualHostPlan } from './virtual-host-plan.ts';
import {
  type BoundService,
  boundServiceArguments,
  gatewayRoutes,
  leadsTo,
  sessionOf,
} from './virtual-service-routes.ts';

const VIRTUAL_HOST = 'envoy.config.route.v3.VirtualHost';

/** A virtual host by its plan (as JSON), so that equal plans of several ports and proxies share it. */
export const gatewayVirtualHost = encodedQuery(
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
);

/** What the session filter does for a host that is itself a service with lasting sessions, and routed to. */
function sessions(read: MeshRead, host: string, bound: BoundService | undefined): VirtualHost {
  const policy = bound && sessionOf(read, host, bound.namespace);
  if (!policy || !read(leadsTo, bound.namespace, bound.name, host)) return {};
  return { typedPerFilterConfig: { [SESSION_FILTER]: sessionOverride(policy) } };
}
