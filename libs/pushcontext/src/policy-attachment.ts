import type { MeshRead } from '@kedge/config';
import type { Config, PolicyTargetReference, WorkloadSelector } from '@kedge/model';
import { features } from './mesh.ts';
import { configNamespace, nodeType } from './proxy-facts.ts';
import { proxyLabel, proxyMatches } from './proxy-workload.ts';

/** How policies say which workloads they are for. */
export interface Attachment {
  readonly selector?: WorkloadSelector;
  /** In place of `targetRefs`, where those are empty. */
  readonly targetRef?: PolicyTargetReference;
  readonly targetRefs: readonly PolicyTargetReference[];
}

type Policy = Pick<Config<Attachment>, 'namespace' | 'spec'>;

/** Names the Gateway (of the Gateway API) that a workload was made for. */
const GATEWAY_NAME = 'gateway.networking.k8s.io/gateway-name';

/**
 * Whether a policy of the proxy's namespace or of the root namespace is for the proxy. Workloads of the Gateway API are chosen
 * by the Gateway that they were made for, all others by their labels.
 * https://istio.io/latest/docs/reference/config/type/workload-selector/#PolicyTargetReference
 */
export function isAttached(read: MeshRead, { namespace, spec }: Policy): boolean {
  const targets = spec.targetRefs.length > 0 ? spec.targetRefs : spec.targetRef ? [spec.targetRef] : [];
  const gateway = proxyLabel(read, GATEWAY_NAME);
  if (targets.length === 0) return (gateway === undefined || selectsGateways(read)) && isSelected(read, spec);
  if (gateway === undefined || read.fact(configNamespace) !== namespace) return false;
  return targets.some((target) => isGateway(target) && target.name === gateway && !pointsElsewhere(target, namespace));
}

function isSelected(read: MeshRead, { selector }: Attachment): boolean {
  return proxyMatches(read, selector?.matchLabels ?? {});
}

function selectsGateways(read: MeshRead): boolean {
  return features(read).selectorBasedGatewayPolicy && read.fact(nodeType) !== 'waypoint';
}

const isGateway = ({ group, kind }: PolicyTargetReference): boolean =>
  group === 'gateway.networking.k8s.io' && kind === 'Gateway';

/** Objects of other namespaces are out of a policy's reach. */
const pointsElsewhere = (target: PolicyTargetReference, namespace: string): boolean =>
  target.namespace !== undefined && target.namespace !== '' && target.namespace !== namespace;
