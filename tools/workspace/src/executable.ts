// Builds an entry of an app into an executable that runs on any Linux host, whatever it has installed:
//
//   node tools/workspace/src/executable.ts apps/NAME ENTRY EXECUTABLE
//
// writes out/apps/NAME/bin/EXECUTABLE, a small launcher, and beside it EXECUTABLE-runtime-HASH, a folder with what it
// starts: Node with the program inside, and the libraries of the C and C++ languages that this Node is linked with.
import { build } from 'esbuild';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { readBuildInfo } from './build-info.ts';
import { bundleOptions } from './bundle.ts';
import { nativeLauncher } from './native-launcher.ts';
import { root } from './root.ts';

const [app, entry, name] = process.argv.slice(2);
if (app === undefined || entry === undefined || name === undefined) {
  console.error('usage: executable.ts apps/NAME ENTRY EXECUTABLE');
  process.exit(2);
}
const output = join(root, 'out', app, 'bin');
mkdirSync(join(root, 'out', app), { recursive: true });
const work = mkdtempSync(join(root, 'out', app, '.executable-'));
try {
  const runtime = join(work, 'bin/runtime');
  mkdirSync(runtime, { recursive: true });
  await buildProgram(entry, join(runtime, name));
  const libraries = sharedObjects();
  for (const library of libraries) copyFileSync(library, join(runtime, basename(library)));
  const folder = `${name}-runtime-${digest(runtime)}`;
  renameSync(runtime, join(work, 'bin', folder));
  const launcher = nativeLauncher({
    cpu: process.arch,
    command: [`${folder}/${loaderOf(libraries)}`, '--inhibit-cache', '--library-path', folder, `${folder}/${name}`],
    failure: `${name}: ${folder} beside it is missing or can't be started\n`,
  });
  writeFileSync(join(work, 'bin', name), launcher, { mode: 0o755 });
  rmSync(output, { recursive: true, force: true });
  renameSync(join(work, 'bin'), output);
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Node with the program inside. */
async function buildProgram(source: string, executable: string): Promise<void> {
  const main = join(work, 'main.mjs');
  const options = bundleOptions(join(root, app!, 'src', source), main, readBuildInfo());
  await build({ ...options, sourcemap: false, legalComments: 'none' });
  const config = join(work, 'config.json');
  writeFileSync(
    config,
    JSON.stringify({
      main,
      mainFormat: 'module',
      output: executable,
      executable: strippedNode(join(work, 'node')),
      disableExperimentalSEAWarning: true,
      // Variables of whoever starts it are no options of Node.
      execArgvExtension: 'none',
    }),
  );
  execFileSync(process.execPath, ['--build-sea', config], { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** This Node without debugging symbols, a fifth of it, if there is a program that leaves them out. */
function strippedNode(copy: string): string {
  if (spawnSync('strip', ['-s', '-o', copy, process.execPath]).status !== 0) copyFileSync(process.execPath, copy);
  return copy;
}

/** The files that a Node has loaded which has nothing to do: what it is linked with. */
function sharedObjects(): readonly string[] {
  const print = 'JSON.stringify(process.report.getReport().sharedObjects)';
  const paths = JSON.parse(execFileSync(process.execPath, ['-p', print], { encoding: 'utf8' })) as readonly string[];
  return paths.filter((path) => path.startsWith('/'));
}

function loaderOf(libraries: readonly string[]): string {
  const loader = libraries.map((path) => basename(path)).find((file) => file.startsWith('ld-linux'));
  if (loader === undefined) throw new Error(`${process.execPath} is linked without a loader of glibc`);
  return loader;
}

/** Of the names and contents of a folder's files. */
function digest(folder: string): string {
  const hash = createHash('sha256');
  for (const file of readdirSync(folder).sort()) hash.update(`${file}\0`).update(readFileSync(join(folder, file)));
  return hash.digest('hex').slice(0, 12);
}
