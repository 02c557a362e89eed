// Prints, for each built app, the time that `BINARY --version` takes (median of several runs) and its peak memory.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const runs = 9;
const out = fileURLToPath(new URL('../../../out/', import.meta.url));
/** A preloaded module that writes the peak resident memory, in KiB, to file descriptor 3 at exit. */
const memoryProbe =
  "import{writeSync}from'node:fs';process.on('exit',()=>writeSync(3,String(process.resourceUsage().maxRSS)))";

function milliseconds(binary: string): number {
  const start = performance.now();
  const { status } = spawnSync(binary, ['--version'], { stdio: 'ignore' });
  if (status !== 0) throw new Error(`${binary} --version ended with ${status}`);
  return performance.now() - start;
}

function peakMebibytes(binary: string): number {
  const env = { ...process.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(memoryProbe)}` };
  const { output } = spawnSync(binary, ['--version'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'], env });
  return Number(String(output[3])) / 1024;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

console.log('binary            start   memory    bundle');
for (const name of readdirSync(join(out, 'apps'))) {
  const binary = join(out, 'bin', name);
  const start = median(Array.from({ length: runs }, () => milliseconds(binary)));
  const bundle = statSync(join(out, 'apps', name, 'main.mjs')).size / 1024;
  const columns = [`${start.toFixed(0)} ms`, `${peakMebibytes(binary).toFixed(0)} MiB`, `${bundle.toFixed(0)} KiB`];
  console.log(name.padEnd(16) + columns.map((column) => column.padStart(9)).join(''));
}
