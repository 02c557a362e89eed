// Bundles an app into `out/apps/NAME/main.mjs`, and puts the folders of the workspace that its package.json names as `assets` beside it.
//
//   node tools/workspace/src/build.ts apps/NAME
import { build } from 'esbuild';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readBuildInfo } from './build-info.ts';
import { bundleOptions } from './bundle.ts';
import { root } from './root.ts';

const app = process.argv[2];
if (app === undefined) {
  console.error('usage: build.ts apps/NAME');
  process.exit(2);
}
const output = join(root, 'out', app);
rmSync(output, { recursive: true, force: true });
await build(bundleOptions(join(root, app, 'src/main.ts'), join(output, 'main.mjs'), readBuildInfo()));
const { assets = [] } = JSON.parse(readFileSync(join(root, app, 'package.json'), 'utf8')) as {
  assets?: readonly string[];
};
for (const folder of assets) cpSync(join(root, folder), join(output, basename(folder)), { recursive: true });
