import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@kedge/observability';
import type { AgentMetrics } from '../agent/metrics.ts';
import { ApiError } from '../kubernetes/api-client.ts';
import type { PodApi, PodEvent, PodSelection } from '../kubernetes/pod-api.ts';
import { type Pod, podName } from '../kubernetes/pod.ts';
import { type BrokenCriteria, brokenness } from './broken.ts';

export type RepairAction = 'repair' | 'delete' | 'label';

export interface RepairOptions {
  readonly action: RepairAction;
  readonly criteria: BrokenCriteria;
  readonly selection: PodSelection;
  readonly label: { readonly key: string; readonly value: string };
  readonly pods: PodApi;
  /** Brings a pod's rules into effect. */
  readonly redirect: (pod: Pod, log: Logger) => Promise<void>;
  readonly metrics: AgentMetrics;
  readonly log: Logger;
  /** Milliseconds to the second attempt; each further one waits twice as long. */
  readonly retryMs?: number;
}

type Result = 'success' | 'skip' | 'fail';

const maxAttempts = 5;

/** Finds pods that started before the plugin was there, so that their traffic isn't redirected, and does something about it. */
export class Repairer {
  readonly #options: RepairOptions;
  /** Pods that have rules now. The init container sees them only when it is started the next time. */
  readonly #repaired = new Set<string>();
  /** Pods at which something is being done, and pods to look at after that, as they are now; by id. */
  readonly #busy = new Map<string, Promise<void>>();
  readonly #latest = new Map<string, Pod>();

  constructor(options: RepairOptions) {
    this.#options = options;
  }

  /** Goes on until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    const { pods, selection, log } = this.#options;
    await pods.watch(
      selection,
      (event) => this.#onEvent(event, signal),
      (problem) => log.warn(`watching the pods of this node: ${problem}`),
      signal,
    );
    await Promise.all(this.#busy.values());
  }

  #onEvent({ kind, pod }: PodEvent, signal: AbortSignal): void {
    const { uid = podName(pod) } = pod.metadata;
    if (kind === 'gone') {
      this.#repaired.delete(uid);
      this.#latest.delete(uid);
      return;
    }
    if (this.#repaired.has(uid)) return;
    this.#latest.set(uid, pod);
    if (!this.#busy.has(uid)) this.#busy.set(uid, this.#work(uid, signal));
  }

  async #work(uid: string, signal: AbortSignal): Promise<void> {
    const { retryMs = 1_000 } = this.#options;
    let attempt = 0;
    let pod = this.#next(uid);
    while (pod !== undefined && !signal.aborted) {
      attempt++;
      if (await this.#reconcile(pod, uid, attempt === maxAttempts)) {
        attempt = 0;
        pod = this.#next(uid);
      } else {
        await sleep(retryMs * 2 ** (attempt - 1), undefined, { signal }).catch(() => undefined);
        pod = this.#next(uid) ?? pod;
      }
    }
    this.#busy.delete(uid);
  }

  #next(uid: string): Pod | undefined {
    const pod = this.#latest.get(uid);
    this.#latest.delete(uid);
    return pod;
  }

  /** @returns false if it is to be tried again */
  async #reconcile(pod: Pod, uid: string, isLastAttempt: boolean): Promise<boolean> {
    const { action, criteria, log, metrics } = this.#options;
    const state = brokenness(pod, criteria);
    if (state === 'healthy') return true;
    const podLog = log.with({ pod: podName(pod) });
    try {
      const result = await this.#act(action, pod, state === 'failed', podLog);
      metrics.istio_cni_repair_pods_repaired_total.increment({ type: action, result });
      if (action === 'repair') this.#repaired.add(uid);
      return true;
    } catch (error) {
      // It is gone or has changed; of a change there is another event.
      if (error instanceof ApiError && (error.status === 404 || error.status === 409)) return true;
      metrics.istio_cni_repair_pods_repaired_total.increment({ type: action, result: 'fail' });
      podLog.error(`the pod's traffic is not redirected, and this failed: ${action}`, { error });
      if (isLastAttempt) {
        await this.#report(pod, action, `pod detected as broken, but failed to ${action}: ${(error as Error).message}`);
      }
      return isLastAttempt;
    }
  }

  async #act(action: RepairAction, pod: Pod, hasFailed: boolean, log: Logger): Promise<Result> {
    const { pods, label, redirect } = this.#options;
    switch (action) {
      case 'repair':
        if (hasFailed) {
          log.info('the pod has failed for good, for its traffic was not redirected; whoever made it makes another');
          return 'skip';
        }
        await redirect(pod, log);
        log.info("the pod's traffic was not redirected, and now is");
        return 'success';
      case 'delete':
        await pods.delete(pod);
        log.info("the pod's traffic was not redirected: deleted");
        await this.#report(pod, action, 'pod detected as broken, deleted');
        return 'success';
      case 'label':
        if (label.key in (pod.metadata.labels ?? {})) return 'skip';
        await pods.label(pod, label.key, label.value);
        log.info(`the pod's traffic is not redirected: labelled ${label.key}=${label.value}`);
        await this.#report(pod, action, 'pod detected as broken, labeled');
        return 'success';
    }
  }

  /** That nobody is told is no reason to do it again. */
  async #report(pod: Pod, action: RepairAction, message: string): Promise<void> {
    const { pods, log } = this.#options;
    const reason = { repair: 'RepairBrokenPod', delete: 'DeleteBrokenPod', label: 'LabelBrokenPod' }[action];
    await pods.report(pod, reason, message).catch((error: unknown) => log.warn('no event was written', { error }));
  }
}
