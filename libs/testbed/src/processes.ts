import { readdirSync, readFileSync } from 'node:fs';

/** The living processes that a process started, directly or not, the nearest first. */
export function descendantsOf(pid: number): readonly number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) if (/^\d+$/.test(name)) parents.set(Number(name), parentOf(name));
  const found = [pid];
  for (const ancestor of found) for (const [child, parent] of parents) if (parent === ancestor) found.push(child);
  return found.slice(1);
}

/** Whether there is such a process, other than one that only waits for its parent to take note of its end. */
export function isAlive(pid: number): boolean {
  const state = statusField(`${pid}`, 'State');
  return state !== undefined && !state.startsWith('Z');
}

/** Sends a signal; a process that is gone doesn't mind. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

const parentOf = (pid: string): number => Number(statusField(pid, 'PPid') ?? 0);

function statusField(pid: string, field: string): string | undefined {
  try {
    return new RegExp(`^${field}:\\s+(.*)$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}
