import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

export interface Ended {
  /** Null if the time was up. */
  readonly exitCode: number | null;
  /** Whether processes were still there when the command had ended; they are gone now. */
  readonly leftovers: boolean;
}

/** How long children have to end after their parent. */
const graceMilliseconds = 3000;

/** Runs `node ARGS` as a process group of its own, so that nothing which it starts outlives it. */
export async function runNode(args: readonly string[], cwd: string, limitMilliseconds: number): Promise<Ended> {
  const child = spawn(process.execPath, args, { cwd, stdio: 'inherit', detached: true });
  const group = -(child.pid ?? 0);
  let timeIsUp = false;
  const timer = setTimeout(() => {
    timeIsUp = true;
    signal(group, 'SIGKILL');
  }, limitMilliseconds);
  const interrupt = (): void => {
    signal(group, 'SIGKILL');
    process.exit(130);
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    const [exitCode] = (await once(child, 'exit')) as [number | null];
    const leftovers = !timeIsUp && !(await ends(group));
    signal(group, 'SIGKILL');
    return { exitCode: timeIsUp ? null : (exitCode ?? 1), leftovers };
  } finally {
    clearTimeout(timer);
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

async function ends(group: number): Promise<boolean> {
  for (let waited = 0; waited < graceMilliseconds; waited += 50) {
    if (!signal(group, 0)) return true;
    await delay(50);
  }
  return false;
}

/** Whether there was a process to signal. */
function signal(group: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(group, name);
  } catch {
    return false;
  }
}
