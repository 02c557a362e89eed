import type { MeshRead } from '@kedge/config';
import { type Endpoint, parseLocality } from '@kedge/model';
import { metadataText, proxyLabel, workloadLocality } from '@kedge/pushcontext';
import { serviceTargets } from '@kedge/registry';
import type { LocalityGroup } from './locality-group.ts';
import { chosenEndpoints } from './service-endpoints.ts';
import { throughGateways } from './split-horizon.ts';

/**
 * The cluster that the bootstrap of a proxy has, where that asks for it (`ENABLE_SELF_DISCOVERY`): from the endpoints of the
 * proxy's own workload, Envoy learns how many clients each zone has, and balances over zones accordingly.
 * https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/upstream/load_balancing/zone_aware
 */
export const SELF_DISCOVERY_CLUSTER = 'local_cluster';

/** Labels that tell one rollout of a workload from another: pods are spread over zones within one. */
const ROLLOUT_LABELS = ['pod-template-hash', 'rollouts-pod-template-hash'] as const;

/** The endpoints of the first service that the proxy serves, as far as they are of its own workload and region. */
export function ownEndpoints(read: MeshRead): readonly LocalityGroup[] {
  const target = read(serviceTargets)[0];
  if (!target) return [];
  const workload = read.fact(metadataText, 'workloadName');
  const rollout = ROLLOUT_LABELS.map((label) => [label, proxyLabel(read, label) ?? ''] as const);
  const { region } = parseLocality(workloadLocality(read));
  const isSibling = ({ workloadName, labels, locality }: Endpoint): boolean =>
    workloadName === workload &&
    rollout.every(([label, value]) => (labels[label] ?? '') === value) &&
    parseLocality(locality).region === region;
  const { service, port } = target;
  const choice = { service, port, labels: {}, policy: undefined, tlsMode: undefined, resolvesNames: false };
  return throughGateways(read, chosenEndpoints(read, { ...choice, only: isSibling }), false);
}
