// The CNI plugin, started by the container runtime. It is built into one executable, for hosts have no Node.
import { text } from 'node:stream/consumers';
import { realEdge } from './plugin/edge.ts';
import { PluginLog } from './plugin/plugin-log.ts';
import { runPlugin } from './plugin/run-plugin.ts';

const log = new PluginLog();
const { stdout, code, runDir } = await runPlugin(process.env, await text(process.stdin), realEdge, log);
await writeOut(stdout);
if (runDir === undefined) process.stderr.write(log.lines.map((line) => `${line}\n`).join(''));
else await log.flush(runDir);
// Whatever may be going on after a timeout.
process.exit(code);

/** Ends when the runtime has all of it: the process may not end before. */
function writeOut(text: string): Promise<void> {
  return new Promise((resolve) => process.stdout.write(text, () => resolve()));
}
