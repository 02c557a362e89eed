import { spawn } from 'node:child_process';
import { programNotFound, type Run } from '@kedge/netfilter';

/** Longer than iptables waits for its lock; names of users may be asked for over a network that isn't there yet. */
const timeoutMs = 60_000;

/**
 * Runs programs.
 *
 * @param networkNamespace path of the network namespace to run them in; our own if empty
 */
export function commandRunner(networkNamespace = ''): Run {
  return ({ program, args, input, env }) =>
    new Promise((resolve, reject) => {
      const call = networkNamespace
        ? ['nsenter', `--net=${networkNamespace}`, '--', program, ...args]
        : [program, ...args];
      const child = spawn(call[0]!, call.slice(1), { env: { ...process.env, ...env }, timeout: timeoutMs });
      let stdout = '';
      let stderr = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
      child.on('error', (error: NodeJS.ErrnoException) => {
        // It would look as if the program were missing, for which there may be another one.
        if (networkNamespace && error.code === 'ENOENT') {
          reject(new Error('nsenter is missing, which enters the network namespace (it is part of util-linux)'));
        }
        resolve({ code: error.code === 'ENOENT' ? programNotFound : 126, stdout, stderr: stderr || error.message });
      });
      child.on('close', (code, signal) => {
        // Where it is a program that is missing, the code is another one.
        if (networkNamespace && code === 1 && stderr.startsWith('nsenter: ')) {
          reject(new Error(`the network namespace ${networkNamespace} can't be entered: ${stderr.trim()}`));
        }
        resolve({ code: code ?? 128, stdout, stderr: signal ? `${stderr}ended by ${signal}` : stderr });
      });
      // A program that ends without reading is told by its exit code.
      child.stdin.on('error', () => undefined).end(input ?? '');
    });
}
