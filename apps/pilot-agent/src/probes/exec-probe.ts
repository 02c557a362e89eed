import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** As much of what a command complains of is told. */
const maxComplaint = 1024;

/** @throws Error where the command cannot be run, fails, or takes too long. What it prints doesn't count, however long. */
export async function probeExec([command = '', ...args]: readonly string[], timeoutMs: number): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const child = spawn(command, args, { signal, killSignal: 'SIGKILL', stdio: ['ignore', 'ignore', 'pipe'] });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (complaint.length < maxComplaint) complaint += text;
    });
    const [code, killedBy] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    if (code === 0) return;
    const end = code ?? String(killedBy);
    throw new Error(`the command fails with ${end}: ${complaint.slice(0, maxComplaint).trim()}`);
  } catch (error) {
    throw signal.aborted ? new Error(`the command takes more than ${timeoutMs} ms`) : error;
  }
}
