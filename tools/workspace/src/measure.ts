// Prints, for each built app, the time that `BINARY --version` takes (median of several runs) and its peak memory; for istioctl also
// what its commands take.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const runs = 9;
const out = fileURLToPath(new URL('../../../out/', import.meta.url));
/** A preloaded module that writes the peak resident memory, in KiB, to file descriptor 3 at exit. */
const memoryProbe =
  "import{writeSync}from'node:fs';process.on('exit',()=>writeSync(3,String(process.resourceUsage().maxRSS)))";

const COMMANDS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  istioctl: [
    ['version', '--remote=false'],
    ['manifest', 'generate'],
  ],
};

function milliseconds(binary: string, args: readonly string[]): number {
  const start = performance.now();
  const { status } = spawnSync(binary, args, { stdio: 'ignore' });
  if (status !== 0) throw new Error(`${binary} ${args.join(' ')} ended with ${status}`);
  return performance.now() - start;
}

function peakMebibytes(binary: string, args: readonly string[]): number {
  const env = { ...process.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(memoryProbe)}` };
  const { output } = spawnSync(binary, args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'], env });
  return Number(String(output[3])) / 1024;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

console.log('binary                                 time   memory    bundle');
for (const name of readdirSync(join(out, 'apps'))) {
  const binary = join(out, 'bin', name);
  const folder = join(out, 'apps', name);
  const modules = readdirSync(folder).filter((file) => file.endsWith('.mjs'));
  const bundle = modules.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0) / 1024;
  for (const args of COMMANDS[name] ?? [['--version']]) {
    const time = median(Array.from({ length: runs }, () => milliseconds(binary, args)));
    const memory = peakMebibytes(binary, args);
    const columns = [`${time.toFixed(0)} ms`, `${memory.toFixed(0)} MiB`, `${bundle.toFixed(0)} KiB`];
    console.log([name, ...args].join(' ').padEnd(34) + columns.map((column) => column.padStart(9)).join(''));
  }
}
