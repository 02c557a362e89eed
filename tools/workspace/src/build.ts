// Bundles an app into `out/apps/NAME/main.mjs`, with files beside it for what is imported lazily if its package.json says that it
// `splits`, and puts the folders of the workspace that it names as `assets` there.
//
//   node tools/workspace/src/build.ts apps/NAME
import { build } from 'esbuild';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readBuildInfo } from './build-info.ts';
import { bundleOptions, splitOptions } from './bundle.ts';
import { root } from './root.ts';

const app = process.argv[2];
if (app === undefined) {
  console.error('usage: build.ts apps/NAME');
  process.exit(2);
}
const output = join(root, 'out', app);
rmSync(output, { recursive: true, force: true });
const [entry, info] = [join(root, app, 'src/main.ts'), readBuildInfo()];
const { assets = [], splits = false } = JSON.parse(readFileSync(join(root, app, 'package.json'), 'utf8')) as {
  readonly assets?: readonly string[];
  readonly splits?: boolean;
};
await build(splits ? splitOptions(entry, output, info) : bundleOptions(entry, join(output, 'main.mjs'), info));
for (const folder of assets) cpSync(join(root, folder), join(output, basename(folder)), { recursive: true });
