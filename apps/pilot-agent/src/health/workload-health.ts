import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadinessProbe } from '@kedge/model';
import type { Logger } from '@kedge/observability';
import type { Health, HealthSource } from '../xds-proxy/agent-requests.ts';
import type { Probe } from './readiness-probe.ts';

/** When to probe, and after how many equal results in a row to believe them. */
export interface ProbeTiming {
  readonly initialDelayMs: number;
  readonly periodMs: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
}

/** 0 is unset. */
export function timingOf(probe: ReadinessProbe): ProbeTiming {
  return {
    initialDelayMs: (probe.initialDelaySeconds ?? 0) * 1000,
    periodMs: (probe.periodSeconds || 10) * 1000,
    successThreshold: probe.successThreshold || 1,
    failureThreshold: probe.failureThreshold || 1,
  };
}

export interface WorkloadHealthOptions {
  readonly timing: ProbeTiming;
  /** One after the other; the first that fails counts. */
  readonly probes: readonly Probe[];
  readonly log: Logger;
}

/** Probes a workload until it is disposed of, and tells when it becomes well or unwell. */
export class WorkloadHealth implements HealthSource, Disposable {
  readonly #options: WorkloadHealthOptions;
  readonly #listeners = new Set<(health: Health) => void>();
  readonly #end = new AbortController();
  #current: Health | undefined;
  #successes = 0;
  #failures = 0;

  constructor(options: WorkloadHealthOptions) {
    this.#options = options;
    void this.#run();
  }

  get current(): Health | undefined {
    return this.#current;
  }

  subscribe(listener: (health: Health) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  [Symbol.dispose](): void {
    this.#end.abort();
    this.#listeners.clear();
  }

  async #run(): Promise<void> {
    const { signal } = this.#end;
    const { initialDelayMs, periodMs } = this.#options.timing;
    const wait = (ms: number) => sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
    for (await wait(initialDelayMs); !signal.aborted; await wait(periodMs)) {
      const problem = await this.#probe();
      if (!signal.aborted) this.#count(problem);
    }
  }

  /** Why the workload is unwell, or undefined if it isn't. */
  async #probe(): Promise<string | undefined> {
    try {
      for (const probe of this.#options.probes) await probe();
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  #count(problem: string | undefined): void {
    const { successThreshold, failureThreshold } = this.#options.timing;
    this.#successes = problem === undefined ? this.#successes + 1 : 0;
    this.#failures = problem === undefined ? 0 : this.#failures + 1;
    if (this.#successes >= successThreshold) this.#become({ kind: 'healthy' });
    else if (problem !== undefined && this.#failures >= failureThreshold) {
      this.#become({ kind: 'unhealthy', reason: problem });
    }
  }

  #become(health: Health): void {
    if (this.#current?.kind === health.kind) return;
    this.#current = health;
    const { log } = this.#options;
    if (health.kind === 'healthy') log.info('the workload is well');
    else log.warn(`the workload is not well: ${health.reason}`);
    for (const listener of this.#listeners) listener(health);
  }
}
