import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@kedge/observability';
import { type EnvoyAdmin, drainListeners, usedStats } from './admin.ts';

export interface TerminationOptions {
  readonly admin: EnvoyAdmin;
  readonly inboundOnly: boolean;
  /** How long to wait for connections to end. */
  readonly terminationDrainMs: number;
  /** Whether to wait, instead, until no connection is left, but at least for the minimum. */
  readonly exitOnZeroActiveConnections: boolean;
  readonly minimumDrainMs: number;
  readonly pollMs: number;
  /** Ports of the proxy's own listeners; their connections don't hold up the end. */
  readonly ownPorts: readonly number[];
  readonly log: Logger;
  /** Aborts when there is nothing left to wait for. */
  readonly signal: AbortSignal;
}

/** Failed looks at the statistics in a row before the wait is over. */
const maxFailures = 5;

/** Drains Envoy before it is ended. Never rejects: whatever fails, the termination goes on. */
export async function drainForTermination(options: TerminationOptions): Promise<void> {
  const { admin, inboundOnly, log, signal } = options;
  try {
    await drainListeners(admin, { inboundOnly, skipExit: false });
  } catch (error) {
    log.warn(`Envoy's listeners cannot be drained: ${messageOf(error)}`);
  }
  try {
    if (!options.exitOnZeroActiveConnections) {
      log.info(`draining for ${options.terminationDrainMs} ms`);
      await sleep(options.terminationDrainMs, undefined, { signal });
      return;
    }
    log.info(`draining for ${options.minimumDrainMs} ms, then until no connection is left`);
    await sleep(options.minimumDrainMs, undefined, { signal });
    await untilNoConnection(options);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function untilNoConnection(options: TerminationOptions): Promise<void> {
  const { admin, ownPorts, pollMs, log, signal } = options;
  for (let failures = 0; failures < maxFailures; await sleep(pollMs, undefined, { signal })) {
    try {
      const active = activeConnections(await usedStats(admin, 'downstream_cx_active$', 2000), ownPorts);
      if (!active) {
        log.info(active === 0 ? 'no connection is left' : 'Envoy counted no connection yet');
        return;
      }
      log.info(`${active} connections are still active`);
      failures = 0;
    } catch (error) {
      failures++;
      log.warn(`active connections are unknown (${failures} of ${maxFailures}): ${messageOf(error)}`);
    }
  }
}

/**
 * Connections of clients, out of the statistics `downstream_cx_active`: those of listeners, without the parts by worker,
 * Envoy's internal listeners (their connections come from other listeners) and the proxy's own ports. Undefined when Envoy
 * has no such statistic at all.
 */
export function activeConnections(stats: ReadonlyMap<string, number>, ownPorts: readonly number[]): number | undefined {
  if (stats.size === 0) return undefined;
  const own = new RegExp(`^listener\\.(admin\\.|envoy_internal_|.*_(${ownPorts.join('|')})\\.downstream_cx_active$)`);
  return [...stats]
    .filter(([name]) => name.startsWith('listener.') && !name.includes('worker_') && !own.test(name))
    .reduce((sum, [, value]) => sum + value, 0);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
