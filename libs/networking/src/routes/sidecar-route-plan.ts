import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import type { Diagnostic } from '@kedge/model';
import { alike, outboundTrafficPolicy, sameMembers } from '@kedge/pushcontext';
import { forwardsHost, includesAttemptCount } from '../proxy-headers.ts';
import { catchAllOf } from './catch-all.ts';
import { EVERY_HOST, listenerPlan, type PlacedVirtualHost } from './listener-plan.ts';
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
      return { virtualHosts: forOneService(virtualHosts, routeName, parsed.host), diagnostics: [] };
    }
    const fallback = catchAllOf(read(outboundTrafficPolicy));
    const catchAll: PlannedVirtualHost = {
      name: fallback.name,
      domains: [EVERY_HOST],
      source: { kind: 'catch-all', fallback, forwardsHost: read(forwardsHost) },
      attemptCount: read(includesAttemptCount),
    };
    return { virtualHosts: [...virtualHosts.map(({ entry }) => entry), planEntry(catchAll)], diagnostics };
  },
  (a, b) =>
    a === b || (!!a && !!b && sameMembers(a.virtualHosts, b.virtualHosts) && alike(a.diagnostics, b.diagnostics)),
);

/** A listener at the address of one service leads there, whatever the host that the client asks for. */
function forOneService(
  virtualHosts: readonly PlacedVirtualHost[],
  routeName: string,
  host: string,
): readonly PlanEntry[] {
  const isOf = ({ domains }: PlannedVirtualHost): boolean =>
    domains.some((domain) => domain === routeName || domain === host);
  const own = virtualHosts.filter(({ planned }) => isOf(planned));
  return own.length === 1
    ? own.map(({ planned }) => planEntry({ ...planned, domains: [EVERY_HOST] }))
    : own.map(({ entry }) => entry);
}
