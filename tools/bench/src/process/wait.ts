import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 20;

/** Waits until a condition holds. @returns whether it came to hold in time. */
export async function waitUntil(holds: () => Promise<boolean> | boolean, timeoutMs: number): Promise<boolean> {
  const end = Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > end) return false;
    await sleep(POLL_MS);
  }
  return true;
}
