import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import type { Diagnostic } from '@kedge/model';
import { alike, outboundTrafficPolicy, sameMembers } from '@kedge/pushcontext';
import { forwardsHost, includesAttemptCount } from '../proxy-headers.ts';
import { catchAllOf } from './catch-all.ts';
import { EVERY_HOST, listenerPlan } from './listener-plan.ts';
import { type PlanEntry, planEntry, type PlannedVirtualHost } from './planned-virtual-host.ts';
import { listenerKey } from './route-listener.ts';
import { parseRouteName } from './route-name.ts';

/** What a route configuration of a sidecar holds; nothing where its name means nothing. */
interface RoutePlan {
  /** Those with a name of their own sorted by it, then the one for all other hosts. */
  readonly virtualHosts: readonly PlanEntry[];
  readonly diagnostics: readonly Diagnostic[];
}

export const sidecarRoutePlan = query(
  'sidecarRoutePlan',
  (read: MeshRead, routeName: string): RoutePlan | undefined => {
    const parsed = parseRouteName(routeName);
    const key = listenerKey(routeName);
    if (!parsed || key === undefined) return undefined;
    const { virtualHosts, diagnostics } = read(listenerPlan, key);
    if (parsed.host !== undefined) {
      return { virtualHosts: forOneService(virtualHosts, routeName, parsed.host).map(planEntry), diagnostics: [] };
    }
    const fallback = catchAllOf(read(outboundTrafficPolicy));
    const catchAll: PlannedVirtualHost = {
      name: fallback.name,
      domains: [EVERY_HOST],
      source: { kind: 'catch-all', fallback, forwardsHost: read(forwardsHost) },
      attemptCount: read(includesAttemptCount),
    };
    return { virtualHosts: [...virtualHosts, catchAll].map(planEntry), diagnostics };
  },
  (a, b) =>
    a === b || (!!a && !!b && sameMembers(a.virtualHosts, b.virtualHosts) && alike(a.diagnostics, b.diagnostics)),
);

/** A listener at the address of one service leads there, whatever the host that the client asks for. */
function forOneService(
  virtualHosts: readonly PlannedVirtualHost[],
  routeName: string,
  host: string,
): readonly PlannedVirtualHost[] {
  const own = virtualHosts.filter(({ domains }) => domains.some((domain) => domain === routeName || domain === host));
  return own.length === 1 ? own.map((only) => ({ ...only, domains: [EVERY_HOST] })) : own;
}
