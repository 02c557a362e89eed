import type { MeshRead } from '@kedge/config';
import { assembly, join, query } from '@kedge/incremental';
import type { Diagnostic } from '@kedge/model';
import {
  autoPassthroughHosts,
  nodeType,
  outboundTrafficPolicy,
  type PatchContext,
  sameMembers,
} from '@kedge/pushcontext';
import { patchedClusters } from '../envoy-filter/patched-clusters.ts';
import type { Generated } from '../guard.ts';
import { mergedByName } from '../merged-by-name.ts';
import type { EncodedResource } from '../resource.ts';
import { hasCredentialSocket } from './client-tls.ts';
import { staticCluster } from './cluster-by-name.ts';
import {
  BLACK_HOLE_CLUSTER,
  DYNAMIC_DNS_CLUSTER,
  EXTERNAL_SDS_CLUSTER,
  INBOUND_PASSTHROUGH_CLUSTER,
  PASSTHROUGH_CLUSTER,
} from './cluster-name.ts';
import { outboundClusterNames, sniClusterNames } from './cluster-plan.ts';
import { inboundCluster } from './inbound-clusters.ts';
import { inboundPlans } from './inbound-plan.ts';
import { outboundCluster } from './outbound-cluster.ts';

const outboundClusters = join(
  'outboundClusters',
  outboundClusterNames,
  outboundCluster,
  (found): readonly Generated[] => found.filter((generated) => generated !== undefined),
  sameMembers,
);

/**
 * Clusters for the services of the mesh, and others of that side, patched; those left out included with what is wrong with
 * them. Proxies that see the same have the same.
 */
const generatedOutbound = assembly(
  query(
    'generatedOutboundClusters',
    (read: MeshRead): readonly Generated[] => {
      const context: PatchContext = read.fact(nodeType) === 'router' ? 'GATEWAY' : 'SIDECAR_OUTBOUND';
      return patchedClusters(read, context, [...read(outboundClusters), ...[...otherOutbound(read)].filter(isPresent)]);
    },
    sameMembers,
  ),
);

/** The same for those of the proxy's own workload. */
const generatedInbound = query(
  'generatedInboundClusters',
  (read: MeshRead): readonly Generated[] => [
    ...patchedClusters(read, 'SIDECAR_INBOUND', [...inbound(read)].filter(isPresent)),
    ...(read.fact(hasCredentialSocket) ? [read(staticCluster, EXTERNAL_SDS_CLUSTER)].filter(isPresent) : []),
  ],
  sameMembers,
);

const isPresent = (generated: Generated | undefined): generated is Generated => generated !== undefined;

function* otherOutbound(read: MeshRead): Generator<Generated | undefined> {
  yield read(staticCluster, BLACK_HOLE_CLUSTER);
  const type = read.fact(nodeType);
  if (type === 'sidecar') {
    yield read(staticCluster, PASSTHROUGH_CLUSTER);
    if (goesByName(read)) yield read(staticCluster, DYNAMIC_DNS_CLUSTER);
  } else if (type === 'router' && read.by(passesOnBySni)) {
    for (const name of read(sniClusterNames)) yield read(outboundCluster, name);
  }
}

function* inbound(read: MeshRead): Generator<Generated | undefined> {
  if (read.fact(nodeType) !== 'sidecar') return;
  for (const { port } of read(inboundPlans)) yield read(inboundCluster, port);
  yield read(staticCluster, INBOUND_PASSTHROUGH_CLUSTER);
}

/** Whether outbound traffic to hosts that the mesh doesn't know goes to what their names resolve to. */
function goesByName(read: MeshRead): boolean {
  const mode: string | undefined = read(outboundTrafficPolicy)?.mode;
  return mode === 'ALLOW_ANY_DYNAMIC_DNS';
}

/** Whether the gateway connects networks: it passes mutual TLS on without ending it. */
const passesOnBySni = query('passesOnBySni', (read: MeshRead): boolean => read(autoPassthroughHosts).length > 0);

const resourcesOf = (generated: readonly Generated[]): readonly EncodedResource[] =>
  generated.flatMap(({ value }) => value ?? []);

const diagnosticsOf = (generated: readonly Generated[]): readonly Diagnostic[] =>
  generated.flatMap(({ diagnostics }) => diagnostics);

/** The outbound clusters, sorted by name. */
export const outboundSide = assembly(
  query(
    'sortedOutboundClusters',
    (read: MeshRead): readonly EncodedResource[] => mergedByName([], resourcesOf(read(generatedOutbound))),
    sameMembers,
  ),
);

/**
 * The clusters of the proxy, sorted by name. The first of a name counts, so patches can't take the place of what is there by
 * adding.
 */
export const clusters = assembly(
  query(
    'clusters',
    (read: MeshRead): readonly EncodedResource[] =>
      mergedByName(read(outboundSide), resourcesOf(read(generatedInbound))),
    sameMembers,
  ),
);

const outboundDiagnostics = assembly(
  query(
    'outboundClusterDiagnostics',
    (read: MeshRead): readonly Diagnostic[] => diagnosticsOf(read(generatedOutbound)),
    sameMembers,
  ),
);

/** What had to be left out of the clusters of the proxy, and why. */
export const clusterDiagnostics = query(
  'clusterDiagnostics',
  (read: MeshRead): readonly Diagnostic[] => [...read(outboundDiagnostics), ...diagnosticsOf(read(generatedInbound))],
  sameMembers,
);
