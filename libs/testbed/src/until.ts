import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 20;

export interface UntilOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Waits until a condition holds; errors count as "not yet".
 * @returns what the condition gave, which is anything but undefined or false.
 * @throws Error naming `what` where it hasn't come true in time, or where `signal` aborts.
 */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
  { timeoutMs = 20_000, signal }: UntilOptions = {},
): Promise<Exclude<T, false | undefined>> {
  const deadline = performance.now() + timeoutMs;
  let last: unknown;
  for (;;) {
    signal?.throwIfAborted();
    try {
      const value = await condition();
      if (value !== undefined && value !== false) return value as Exclude<T, false | undefined>;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (performance.now() > deadline) {
      const why = last === undefined ? '' : `: ${String(last)}`;
      throw new Error(`after ${timeoutMs / 1000} s still waiting for ${what}${why}`);
    }
    await sleep(POLL_MS);
  }
}
