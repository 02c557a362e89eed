// Builds an entry of an app into one executable with Node inside: `out/apps/NAME/EXECUTABLE`.
//
//   node tools/workspace/src/executable.ts apps/NAME ENTRY EXECUTABLE
import { build } from 'esbuild';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBuildInfo } from './build-info.ts';
import { bundleOptions } from './bundle.ts';
import { root } from './root.ts';

const [app, entry, name] = process.argv.slice(2);
if (app === undefined || entry === undefined || name === undefined) {
  console.error('usage: executable.ts apps/NAME ENTRY EXECUTABLE');
  process.exit(2);
}
const folder = join(root, 'out', app);
mkdirSync(folder, { recursive: true });
const work = mkdtempSync(join(folder, '.executable-'));
try {
  const main = join(work, 'main.mjs');
  const options = bundleOptions(join(root, app, 'src', entry), main, readBuildInfo());
  await build({ ...options, sourcemap: false, legalComments: 'none' });
  const config = join(work, 'config.json');
  writeFileSync(
    config,
    JSON.stringify({
      main,
      mainFormat: 'module',
      output: join(folder, name),
      executable: strippedNode(join(work, 'node')),
      disableExperimentalSEAWarning: true,
      // Variables of whoever starts it are no options of Node.
      execArgvExtension: 'none',
    }),
  );
  execFileSync(process.execPath, ['--build-sea', config], { stdio: ['ignore', 'ignore', 'inherit'] });
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** This Node without debugging symbols, a fifth of it, if there is a program that leaves them out. */
function strippedNode(copy: string): string {
  if (spawnSync('strip', ['-s', '-o', copy, process.execPath]).status !== 0) copyFileSync(process.execPath, copy);
  return copy;
}
