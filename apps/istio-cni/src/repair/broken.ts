import type { ContainerStatus, Pod, Termination } from '../kubernetes/pod.ts';

/** What tells a pod whose traffic should be redirected and isn't: an init container that looks for it fails. */
export interface BrokenCriteria {
  /** Annotation of pods that have a sidecar; empty for all pods. */
  readonly sidecarAnnotation: string;
  /** Empty for any. */
  readonly initContainerName: string;
  /** Empty for any. */
  readonly terminationMessage: string;
  /** 0 for any. */
  readonly exitCode: number;
}

export type Brokenness =
  | 'healthy'
  /** The init container is started again and again. */
  | 'restarting'
  /** It isn't started again: the pod has failed for good, as those of many Jobs do. */
  | 'failed';

export function brokenness(pod: Pod, criteria: BrokenCriteria): Brokenness {
  const { sidecarAnnotation, initContainerName } = criteria;
  if (sidecarAnnotation !== '' && !(sidecarAnnotation in (pod.metadata.annotations ?? {}))) return 'healthy';
  const candidates = (pod.status?.initContainerStatuses ?? []).filter(
    ({ name }) => initContainerName === '' || name === initContainerName,
  );
  if (candidates.some((status) => hasFailedFor(criteria, status.lastState?.terminated, status))) return 'restarting';
  const isFinal = pod.spec.restartPolicy === 'Never';
  return isFinal && candidates.some((status) => hasFailedFor(criteria, status.state?.terminated, status))
    ? 'failed'
    : 'healthy';
}

/** Whether that end of a container is the one; of a container that has succeeded since, none is. */
function hasFailedFor(
  { terminationMessage, exitCode }: BrokenCriteria,
  end: Termination | undefined,
  { state }: ContainerStatus,
): boolean {
  const current = state?.terminated;
  if (end === undefined || (current && (current.reason === 'Completed' || current.exitCode === 0))) return false;
  const message = terminationMessage.trim();
  return (message === '' || end.message?.trim() === message) && (exitCode === 0 || end.exitCode === exitCode);
}
