import { addLogFlags } from '@kedge/cli';
import type { Command } from 'commander';
import { send } from '../http-client.ts';
import { integer } from './flags.ts';

/** Ports of the proxy itself; no others, for the command can be run by whoever may exec into the pod. */
const allowedPorts = [15000, 15004, 15020, 15021];
const timeoutMs = 60_000;

export function addRequestCommand(program: Command): void {
  const command = program
    .command('request')
    .description("send a request to Envoy's admin interface and print the answer")
    .argument('<method>', 'such as GET')
    .argument('<path>', 'such as /clusters')
    .argument('[body]', 'what to send with it')
    .option('--debug-port <port>', 'port to send it to', integer, 15000);
  addLogFlags(command).action(request);
}

/** Nothing but the answer may go to the output: programs read it. */
async function request(
  method: string,
  path: string,
  body: string | undefined,
  { debugPort }: { readonly debugPort: number },
): Promise<void> {
  if (!allowedPorts.includes(debugPort)) {
    throw new Error(`debug port ${debugPort} is not one of ${allowedPorts.join(', ')}`);
  }
  const answer = await send({
    method,
    host: 'localhost',
    port: debugPort,
    path: path.startsWith('/') ? path : `/${path}`,
    timeoutMs,
    ...(body !== undefined && { body }),
  });
  if (answer.status >= 300) throw new Error(`the answer is ${answer.status}: ${answer.body.trim()}`);
  process.stdout.write(`${answer.body}\n`);
}
