// A small mesh on loopback: a gateway, a front end and two versions of a back end, each behind an Envoy of its own, and a
// route that changes while requests flow. KEEP=1 leaves it running. $ENVOY_BIN is the Envoy.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Child } from '@kedge/testbed';
import { startMesh } from './mesh.ts';
import { tellStory } from './story.ts';

/** Lines of output that are shown of each process when something fails. */
const TAIL_LINES = 15;

const say = (line: string): void => console.log(line);
const seconds = (): string => `${(performance.now() / 1000).toFixed(1)} s`;

/** Why it ends before its time: a person's wish, or a process that died. */
class Interrupted extends Error {}

interface Run {
  /** Gets every process that is started. */
  readonly children: Child[];
  readonly stop: AbortController;
  readonly dir: string;
  readonly keep: boolean;
}

async function run({ children, stop, dir, keep }: Run): Promise<void> {
  const envoy = process.env['ENVOY_BIN'];
  if (!envoy) throw new Error('ENVOY_BIN is not set: `make demo` sets it');
  const { signal } = stop;
  const onChild = (child: Child): void => {
    children.push(child);
    child.unexpectedEnd().catch((error: unknown) => stop.abort(error));
  };
  say('Starting a control plane, three applications and four proxies...');
  const mesh = await startMesh({ dir, envoy, signal, onChild });
  say(`All proxies are ready after ${seconds()}.\n`);
  await tellStory(mesh, { signal, say, keep });
}

async function main(): Promise<number> {
  const keep = Boolean(process.env['KEEP']);
  const stop = new AbortController();
  const children: Child[] = [];
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => stop.abort(new Interrupted(`interrupted by ${name}`)));
  }
  const dir = await mkdtemp(join(tmpdir(), 'demo-'));
  let failure: unknown;
  try {
    await run({ children, stop, dir, keep });
  } catch (error) {
    failure = stop.signal.aborted ? stop.signal.reason : error;
  }
  if (failure !== undefined && !(failure instanceof Interrupted)) explain(failure, children);
  const outcomes = await Promise.allSettled(children.map((child) => child.stop()));
  await rm(dir, { recursive: true, force: true });
  const left = outcomes.filter((outcome) => outcome.status === 'rejected');
  for (const { reason } of left) console.error(String(reason));
  if (left.length === 0) say(`Ended after ${seconds()}; no process is left.`);
  if (failure instanceof Interrupted) return keep ? 0 : 130;
  return failure === undefined && left.length === 0 ? 0 : 1;
}

function explain(failure: unknown, children: readonly Child[]): void {
  for (const child of children) {
    const lines = child.tail(TAIL_LINES);
    if (lines.length > 0) console.error(`\n--- ${child.name}\n${lines.join('\n')}`);
  }
  console.error(`\nThe demo failed: ${failure instanceof Error ? failure.message : String(failure)}`);
}

process.exitCode = await main();
