import { addLogFlags } from '@kedge/cli';
import { type Command, InvalidArgumentError } from 'commander';

/** Port of the metrics, where the debug endpoints are too. */
const MONITORING_PORT = 15014;
const TIMEOUT_MS = 60_000;

/** `request`: one request to the server on this machine, for a shell in its container. */
export function addRequestCommand(program: Command): void {
  const command = program
    .command('request')
    .description('send a request to a debug endpoint of the server on this machine and print the answer')
    .argument('<method>', 'such as GET')
    .argument('<path>', 'such as /debug/syncz')
    .argument('[body]', 'what to send with it')
    .option('--port <port>', 'its monitoring port', port, MONITORING_PORT);
  addLogFlags(command).action(
    (method: string, path: string, body: string | undefined, flags: { readonly port: number }) =>
      request({ method, path, body, port: flags.port }),
  );
}

interface LocalRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  readonly port: number;
}

/** Nothing but the answer goes to the output: programs read it. */
async function request({ method, path, body, port: localPort }: LocalRequest): Promise<void> {
  const url = new URL(path, `http://127.0.0.1:${localPort}/`);
  const response = await fetch(url, { method, body, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((error: Error) => {
    const { cause = error } = error;
    throw new Error(`no answer from ${url.href}: ${cause instanceof Error ? cause.message : String(cause)}`);
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`the answer is ${response.status}: ${answer.trim()}`);
  process.stdout.write(answer.endsWith('\n') ? answer : `${answer}\n`);
}

function port(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 65_535) throw new InvalidArgumentError('must be a port');
  return value;
}
