import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** @throws Error where the command cannot be run, fails, or takes too long. */
export async function probeExec([command = '', ...args]: readonly string[], timeoutMs: number): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    await run(command, args, { signal, killSignal: 'SIGKILL' });
  } catch (error) {
    throw signal.aborted ? new Error(`the command takes more than ${timeoutMs} ms`) : error;
  }
}
