import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@kedge/observability';
import { type BackOffPolicy, restartDelay } from './back-off.ts';

export interface SupervisorOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly backOff: BackOffPolicy;
  readonly log: Logger;
  /** Called before each start but the first. */
  readonly onRestart: () => void;
}

/** How supervision ended: told to stop, the process ended by itself with success, or it failed too often. */
export type Outcome =
  { readonly kind: 'stopped' } | { readonly kind: 'exited' } | { readonly kind: 'failed'; readonly reason: string };

/** Runs one process and starts it again with growing delays when it fails, until told to stop. */
export class Supervisor implements Disposable {
  readonly #options: SupervisorOptions;
  readonly #stopping = new AbortController();
  #child: ChildProcess | undefined;
  /** Settles when the process is gone and will not be started again. */
  readonly outcome: Promise<Outcome>;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.outcome = this.#run();
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  /** Ends the process: SIGTERM, and SIGKILL if it is still there after the grace period. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    this.#child?.kill('SIGTERM');
    const killer = setTimeout(() => this.#child?.kill('SIGKILL'), graceMs);
    await this.outcome;
    clearTimeout(killer);
  }

  [Symbol.dispose](): void {
    this.#stopping.abort();
    this.#child?.kill('SIGKILL');
  }

  async #run(): Promise<Outcome> {
    const { backOff, log, onRestart } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const started = performance.now();
      const end = await this.#runOnce();
      if (this.#stopping.signal.aborted) return { kind: 'stopped' };
      if (end === 'success') return { kind: 'exited' };
      if (performance.now() - started > backOff.resetAfterMs) attempt = 1;
      const delay = restartDelay(backOff, attempt);
      if (delay === undefined) return { kind: 'failed', reason: `Envoy ${end}, ${attempt} times in a row` };
      log.error(`Envoy ${end}; starting it again in ${delay} ms (${attempt} of ${backOff.maxAttempts})`);
      await sleep(delay, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      if (this.#stopping.signal.aborted) return { kind: 'stopped' };
      onRestart();
    }
  }

  /** `success`, or a phrase that says how the process ended. */
  #runOnce(): Promise<string> {
    const { command, args, environment, log } = this.#options;
    const { promise, resolve } = Promise.withResolvers<string>();
    const child = spawn(command, args, { env: environment, stdio: ['ignore', 'inherit', 'inherit'] });
    const end = (how: string) => {
      this.#child = undefined;
      resolve(how);
    };
    child.once('spawn', () => log.info(`Envoy runs as process ${child.pid}`));
    child.once('error', (error) => {
      if (child.pid === undefined) end(`could not be started: ${error.message}`);
    });
    child.once('exit', (code, signal) => {
      if (code === 0) end('success');
      else if (signal) end(`was ended by ${signal}${signal === 'SIGKILL' ? ' (out of memory?)' : ''}`);
      else end(`exited with code ${code}`);
    });
    this.#child = child;
    return promise;
  }
}
