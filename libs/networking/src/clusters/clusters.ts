import type { MeshRead } from '@kedge/config';
import { join, query } from '@kedge/incremental';
import type { Diagnostic } from '@kedge/model';
import {
  autoPassthroughHosts,
  compareText,
  nodeType,
  type PatchContext,
  sameMembers,
  sidecarScope,
} from '@kedge/pushcontext';
import { patchedClusters } from '../envoy-filter/patched-clusters.ts';
import type { Generated } from '../guard.ts';
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
 * All clusters of the proxy, patched, those left out included with what is wrong with them. The first of a name counts, so
 * patches can't take the place of what is there by adding.
 */
const generatedClusters = query(
  'generatedClusters',
  (read: MeshRead): readonly Generated[] => {
    const isGateway = read.fact(nodeType) === 'router';
    const sides: readonly (readonly [PatchContext, readonly (Generated | undefined)[]])[] = [
      [isGateway ? 'GATEWAY' : 'SIDECAR_OUTBOUND', [...read(outboundClusters), ...otherOutbound(read)]],
      ['SIDECAR_INBOUND', [...inbound(read)]],
    ];
    return [
      ...sides.flatMap(([context, clusters]) => patchedClusters(read, context, clusters.filter(isPresent))),
      ...(read.fact(hasCredentialSocket) ? [read(staticCluster, EXTERNAL_SDS_CLUSTER)].filter(isPresent) : []),
    ];
  },
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
  const mode: string | undefined = read(sidecarScope).outboundTrafficPolicy?.mode;
  return mode === 'ALLOW_ANY_DYNAMIC_DNS';
}

/** Whether the gateway connects networks: it passes mutual TLS on without ending it. */
const passesOnBySni = query('passesOnBySni', (read: MeshRead): boolean => read(autoPassthroughHosts).length > 0);

/** The clusters of the proxy, sorted by name. */
export const clusters = query(
  'clusters',
  (read: MeshRead): readonly EncodedResource[] => {
    const byName = new Map<string, EncodedResource>();
    for (const { value } of read(generatedClusters))
      if (value && !byName.has(value.name)) byName.set(value.name, value);
    return [...byName.values()].sort((a, b) => compareText(a.name, b.name));
  },
  sameMembers,
);

/** What had to be left out of the clusters of the proxy, and why. */
export const clusterDiagnostics = query(
  'clusterDiagnostics',
  (read: MeshRead): readonly Diagnostic[] => read(generatedClusters).flatMap(({ diagnostics }) => diagnostics),
  sameMembers,
);
