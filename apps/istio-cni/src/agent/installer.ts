import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '@kedge/cni';
import type { Logger } from '@kedge/observability';
import type { Binaries } from './binaries.ts';
import { FolderWatch } from './folder-watch.ts';
import { installKubeconfig, type KubeconfigOptions, removeKubeconfig } from './kubeconfig.ts';
import type { AgentMetrics } from './metrics.ts';
import { installConfig, type NetworkConfigOptions, removeConfig } from './network-config.ts';

export interface InstallerOptions {
  readonly binaries: Binaries;
  readonly kubeconfig: KubeconfigOptions;
  readonly networkConfig: NetworkConfigOptions;
  readonly entry: JsonObject;
  /** Whose changes call for a look. */
  readonly watched: readonly string[];
  readonly metrics: AgentMetrics;
  readonly log: Logger;
  readonly times?: Partial<InstallerTimes>;
}

/** Milliseconds. */
export interface InstallerTimes {
  /** Changes come in groups. */
  readonly settle: number;
  /** The next look, after a failure. */
  readonly retry: number;
  /** The next look, though no change was seen. */
  readonly recheck: number;
  /** Between looks where another program undoes what we do. */
  readonly dispute: number;
}

const defaultTimes: InstallerTimes = { settle: 100, retry: 2_000, recheck: 30_000, dispute: 1_000 };
/** More than so many mendings within this time are no coincidence. */
const disputeMendings = 5;
const disputeWindowMs = 60_000;

/** Each step, and what Istio's metric calls its failure. */
type Step = readonly [failure: string, what: string, run: () => Promise<string | undefined>];

/** Installs the plugin and keeps it installed, whatever others do to the files. */
export class Installer {
  readonly #options: InstallerOptions;
  readonly #times: InstallerTimes;
  #isReady = false;
  #wake: PromiseWithResolvers<unknown> = Promise.withResolvers();
  /** What is waited for, to say it once. */
  #waitingFor = '';

  constructor(options: InstallerOptions) {
    this.#options = options;
    this.#times = { ...defaultTimes, ...options.times };
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Goes on until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    using watch = new FolderWatch(() => this.#wake.resolve(undefined));
    let mendings: readonly number[] = [];
    while (!signal.aborted) {
      // Before the look, so that no change is missed.
      this.#wake = Promise.withResolvers();
      await watch.watch(this.#options.watched);
      const outcome = await this.#install();
      const now = Date.now();
      if (outcome === 'changed') mendings = [...mendings.filter((time) => time > now - disputeWindowMs), now];
      const isDispute = outcome === 'changed' && mendings.length > disputeMendings;
      if (isDispute) this.#warnOfDispute();
      // What we wrote in vain would be seen as a change.
      if (outcome === 'failed') await this.#pause(this.#times.retry, signal);
      else await Promise.race([this.#wake.promise, this.#pause(this.#times.recheck, signal)]);
      await this.#pause(isDispute ? this.#times.dispute : this.#times.settle, signal);
    }
    this.#setReady(false);
  }

  /** Takes everything away again; what others still need stays. */
  async cleanUp(): Promise<void> {
    const { networkConfig, entry, kubeconfig, binaries, log } = this.#options;
    const steps: readonly (readonly [string, () => Promise<void>])[] = [
      // First: a runtime that finds the entry needs the rest, and makes no pods without it.
      ['the entry in the CNI configuration', () => removeConfig(entry, networkConfig)],
      ['the kubeconfig', () => removeKubeconfig(kubeconfig)],
      ['the plugin', () => binaries.remove()],
    ];
    for (const [what, remove] of steps) {
      try {
        await remove();
        log.info(`removed: ${what}`);
      } catch (error) {
        log.error(`could not remove ${what}`, { error });
        return;
      }
    }
  }

  async #install(): Promise<'unchanged' | 'changed' | 'failed'> {
    const { metrics, log } = this.#options;
    let outcome: 'unchanged' | 'changed' = 'unchanged';
    for (const [failure, what, run] of this.#steps()) {
      try {
        const done = await run();
        if (done === undefined) continue;
        log.info(done);
        outcome = 'changed';
      } catch (error) {
        this.#setReady(false);
        if (error instanceof NotYetError) {
          if (this.#waitingFor !== error.message) log.warn(`waiting: ${error.message}`);
          this.#waitingFor = error.message;
          return outcome;
        }
        metrics.istio_cni_installs_total.increment({ result: failure });
        log.error(`${what} failed${hintFor(error)}`, { error });
        return 'failed';
      }
    }
    if (outcome === 'changed' || !this.#isReady) metrics.istio_cni_installs_total.increment({ result: 'SUCCESS' });
    this.#waitingFor = '';
    this.#setReady(true);
    return outcome;
  }

  #steps(): readonly Step[] {
    const { binaries, kubeconfig, networkConfig, entry, log } = this.#options;
    return [
      [
        'COPY_BINARIES_FAILURE',
        'installing the plugin',
        async () => {
          const written = await binaries.install();
          return written.length > 0 ? `installed ${written.join(', ')}` : undefined;
        },
      ],
      [
        'CREATE_KUBECONFIG_FAILURE',
        'writing the kubeconfig',
        async () => ((await installKubeconfig(kubeconfig)) ? `wrote the kubeconfig ${kubeconfig.file}` : undefined),
      ],
      [
        'CREATE_CNI_CONFIG_FAILURE',
        'writing the CNI configuration',
        async () => {
          const state = await installConfig(entry, networkConfig);
          if (state.kind === 'waiting') throw new NotYetError(state.problem);
          if (state.warning !== undefined) log.warn(state.warning);
          return state.written ? `wrote the CNI configuration ${state.file}` : undefined;
        },
      ],
    ];
  }

  #warnOfDispute(): void {
    const isCilium = /cilium/.test(this.#options.networkConfig.confName);
    const hint = isCilium ? '; of Cilium, set cni.exclusive=false' : '';
    this.#options.log.warn(`another program undoes the installation again and again${hint}`);
  }

  #setReady(isReady: boolean): void {
    this.#isReady = isReady;
    this.#options.metrics.istio_cni_install_ready.set(isReady ? 1 : 0);
  }

  #pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    return sleep(milliseconds, undefined, { signal }).catch(() => undefined);
  }
}

/** Something that others bring is missing; no failure of ours. */
class NotYetError extends Error {
  override readonly name = 'NotYetError';
}

function hintFor(error: unknown): string {
  const isReadOnly = (error as NodeJS.ErrnoException).code === 'EROFS';
  return isReadOnly ? ' (some platforms have the folder of CNI plugins elsewhere: set global.platform)' : '';
}
