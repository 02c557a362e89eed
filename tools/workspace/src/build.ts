// Bundles an app into `out/apps/NAME/main.mjs`.
//
//   node tools/workspace/src/build.ts apps/NAME
import { build } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleOptions, type BuildInfo } from './bundle.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** What git says, or undefined outside a repository. */
function git(...args: readonly string[]): string | undefined {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

function readBuildInfo(): BuildInfo {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
  const changes = git('status', '--porcelain', '--untracked-files=no');
  return {
    version,
    revision: git('rev-parse', 'HEAD') ?? 'unknown',
    status: changes === '' ? 'Clean' : 'Modified',
    tag: git('describe', '--tags', '--always') ?? version,
  };
}

const app = process.argv[2];
if (app === undefined) {
  console.error('usage: build.ts apps/NAME');
  process.exit(2);
}
const output = join(root, 'out', app);
rmSync(output, { recursive: true, force: true });
await build(bundleOptions(join(root, app, 'src/main.ts'), join(output, 'main.mjs'), readBuildInfo()));
