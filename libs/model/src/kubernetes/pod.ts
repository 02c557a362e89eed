import { type JsonObject, isJsonObject } from '../parse/json.ts';
import { type Of, list, message, required } from '../parse/message.ts';
import { bool, string, uint32 } from '../parse/scalars.ts';

const ContainerPort = message({ name: string, containerPort: required(uint32, 0), protocol: string });

const Container = message({ name: string, ports: list(ContainerPort), restartPolicy: string });

/** The controller that made the pod. */
const Owner = message({ kind: required(string, ''), name: required(string, '') });

export const PodSpec = message({
  serviceAccountName: string,
  nodeName: string,
  hostname: string,
  subdomain: string,
  hostNetwork: bool,
  containers: list(Container),
  initContainers: list(Container),
  /** Not of the spec but of the metadata: the owner reference with `controller: true`. */
  controller: Owner,
  /** Of the metadata too: the name that the pod's own was made from. */
  generateName: string,
  /** Of the metadata too: when somebody asked for the pod to be deleted. */
  deletionTimestamp: string,
});
export type PodSpec = Of<typeof PodSpec>;

const PodCondition = message({ type: required(string, ''), status: required(string, '') });

export const PodStatus = message({
  phase: required(string, ''),
  podIP: required(string, ''),
  podIPs: list(message({ ip: required(string, '') })),
  hostIP: required(string, ''),
  conditions: list(PodCondition),
});
export type PodStatus = Of<typeof PodStatus>;

/** What {@link PodSpec} reads: the spec with the few metadata fields that say where the pod comes from. */
export function podView({ spec, metadata }: JsonObject): unknown {
  const { ownerReferences, generateName, deletionTimestamp } = isJsonObject(metadata) ? metadata : {};
  const owners: readonly unknown[] = Array.isArray(ownerReferences) ? ownerReferences : [];
  const controller = owners.find((owner) => isJsonObject(owner) && owner.controller === true);
  return { ...(isJsonObject(spec) ? spec : {}), controller, generateName, deletionTimestamp };
}
