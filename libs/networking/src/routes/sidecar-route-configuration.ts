import type { MeshRead } from '@kedge/config';
import { assembly, join, query } from '@kedge/incremental';
import { encodedQuery } from '../encoded-query.ts';
import { patchedRoutes } from '../envoy-filter/patched-routes.ts';
import { MAX_DIRECT_RESPONSE_BYTES } from '../envoy-rules/route-rules.ts';
import { type Generated } from '../guard.ts';
import type { Diagnostic } from '@kedge/model';
import { sameMembers } from '@kedge/pushcontext';
import { type EncodedPiece, type EncodedResource, sameVersion } from '../resource.ts';
import type { PlanEntry } from './planned-virtual-host.ts';
import { sidecarRoutePlan } from './sidecar-route-plan.ts';
import { virtualHost } from './virtual-host.ts';

const plannedEntries = query(
  'sidecarVirtualHosts',
  (read: MeshRead, name: string): readonly PlanEntry[] => read(sidecarRoutePlan, name)?.virtualHosts ?? [],
  sameMembers,
);

/** The virtual hosts of a route configuration, in the order of the plan. */
const virtualHosts = join(
  'virtualHosts',
  plannedEntries,
  virtualHost,
  (pieces): readonly Generated<EncodedPiece>[] => pieces,
  sameMembers,
);

const generatedSidecarRoutes = assembly(
  encodedQuery('generatedSidecarRoutes', (read: MeshRead, name: string): Generated => {
    const plan = read(sidecarRoutePlan, name);
    const skeleton = {
      name,
      validateClusters: false,
      ...(plan ? { maxDirectResponseBodySizeBytes: MAX_DIRECT_RESPONSE_BYTES, ignorePortInHostMatching: true } : {}),
    };
    const hosts = { maker: 'sidecar', plans: plan?.virtualHosts ?? [], made: read(virtualHosts, name) } as const;
    const generated = patchedRoutes(read, 'SIDECAR_OUTBOUND', skeleton, hosts, () => ({
      name,
      ports: /^\d+$/.test(name) ? [Number(name)] : [],
    }));
    return { ...generated, diagnostics: [...(plan?.diagnostics ?? []), ...generated.diagnostics] };
  }),
);

/**
 * A sidecar's outbound route configuration by name: a port, `host:port`, `http_proxy` or a Unix socket. One of a name that
 * means nothing is empty: a listener that is going away may still ask for it.
 */
export const sidecarRouteConfiguration = query(
  'sidecarRouteConfiguration',
  (read: MeshRead, name: string): EncodedResource | undefined => read(generatedSidecarRoutes, name).value,
  sameVersion,
);

/** What had to be left out of a route configuration, and why. */
export const sidecarRouteDiagnostics = query(
  'sidecarRouteDiagnostics',
  (read: MeshRead, name: string): readonly Diagnostic[] => read(generatedSidecarRoutes, name).diagnostics,
);
