import type { Logger } from '@kedge/observability';
import type { Pod } from '../kubernetes/pod.ts';
import type { Call } from './call.ts';
import { CniError } from './cni-error.ts';
import type { PluginConfig } from './config.ts';
import { kubeconfigName, type PluginEdge } from './edge.ts';

/** The pod that a call is about, as the runtime names it. */
export interface PodReference {
  readonly namespace: string;
  readonly name: string;
  /** Empty with runtimes that don't tell. */
  readonly uid: string;
}

/** Undefined if the call is about no pod of Kubernetes. */
export function podReference({ args }: Call): PodReference | undefined {
  const { K8S_POD_NAMESPACE: namespace = '', K8S_POD_NAME: name = '', K8S_POD_UID: uid = '' } = args;
  return namespace && name ? { namespace, name, uid } : undefined;
}

/**
 * Whether the pod is one of the agent's own. It must start where nothing is there yet: it brings the kubeconfig. The
 * runtime's word on names is as good as the API server's.
 */
export function isAgentPod({ namespace, name }: PodReference, { podNamespace }: PluginConfig): boolean {
  return name.startsWith('istio-cni-node-') && namespace === podNamespace;
}

/** So long a call waits for an API server that fails; the runtime will call again. */
const patienceMs = 10_000;
const retryMs = 1_000;

/** Reads the pod. @throws CniError */
export async function readPodOfCall(
  reference: PodReference,
  { agentRunDir }: PluginConfig,
  edge: PluginEdge,
  log: Logger,
): Promise<Pod> {
  const { namespace, name } = reference;
  const patience = AbortSignal.timeout(patienceMs);
  let problem: NodeJS.ErrnoException | undefined;
  for (;;) {
    const pod = await edge.readPod(namespace, name, agentRunDir, patience).catch((error: Error) => error);
    if (!(pod instanceof Error) && isSame(pod, reference)) return pod;
    // That the last attempt was broken off says less than how the one before failed.
    if (problem === undefined || !patience.aborted)
      problem = pod instanceof Error ? pod : new Error('it has the id of another pod');
    if (problem.code === 'ENOENT') {
      throw new CniError(
        'tryAgainLater',
        `the pod ${namespace}/${name} can't be read: ${agentRunDir}/${kubeconfigName} is missing; ` +
          "is this node's istio-cni-node pod running?",
        problem.message,
      );
    }
    log.debug(`reading the pod failed: ${problem.message}`);
    await edge.wait(retryMs, patience);
    if (patience.aborted) {
      throw new CniError(
        'tryAgainLater',
        `the pod ${namespace}/${name} can't be read from the API server: ${problem.message}`,
      );
    }
  }
}

/** A pod may be gone and another one have its name. The id of a static pod differs from that of its mirror. */
function isSame({ metadata }: Pod, { uid }: PodReference): boolean {
  const isMirror = 'kubernetes.io/config.mirror' in (metadata.annotations ?? {});
  return uid === '' || metadata.uid === undefined || metadata.uid === uid || isMirror;
}
