import { setTimeout as sleep } from 'node:timers/promises';
import { addLogFlags } from '@kedge/cli';
import type { Command } from 'commander';
import { send } from '../http-client.ts';
import { integer } from './flags.ts';

interface WaitFlags {
  readonly timeoutSeconds: number;
  readonly requestTimeoutMillis: number;
  readonly periodMillis: number;
  readonly url: string;
}

export function addWaitCommand(program: Command): void {
  const command = program
    .command('wait')
    .description('wait until the proxy is ready')
    .option('--timeoutSeconds <number>', 'seconds to wait at most', integer, 60)
    .option('--requestTimeoutMillis <number>', 'milliseconds to wait for an answer', integer, 500)
    .option('--periodMillis <number>', 'milliseconds between two tries', integer, 500)
    .option('--url <url>', 'what to ask', 'http://localhost:15021/healthz/ready');
  addLogFlags(command).action(waitUntilReady);
}

async function waitUntilReady({ timeoutSeconds, requestTimeoutMillis, periodMillis, url }: WaitFlags): Promise<void> {
  const target = new URL(url);
  const request = {
    method: 'GET',
    host: target.hostname.replace(/^\[|\]$/g, ''),
    port: Number(target.port || 80),
    path: `${target.pathname}${target.search}`,
    timeoutMs: requestTimeoutMillis,
  };
  const deadline = performance.now() + timeoutSeconds * 1000;
  for (;;) {
    const problem = await send(request).then(
      ({ status }) => (status === 200 ? undefined : `it answered with ${status}`),
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    if (problem === undefined) return;
    if (performance.now() + periodMillis > deadline) {
      throw new Error(`the proxy is not ready after ${timeoutSeconds} s: ${problem}`);
    }
    await sleep(periodMillis);
  }
}
