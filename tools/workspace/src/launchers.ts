// Puts a launcher into `out/bin` for every app that was built.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launcher } from './launcher.ts';
import { root } from './root.ts';

const out = join(root, 'out');

/**
 * What Node is told for an app, as its package says. V8 keeps two or three times the size of a semi-space, empty or not: a
 * command that soon ends does with little, a server with as much as spares it copying what is about to die. And V8 lets the
 * heap of a process that allocates little in the mean grow by a tenth between collections: a server that is idle between
 * changes would be collected as a whole by each of them, and so has it double instead, as Go does.
 */
function nodeFlags(app: string): readonly string[] {
  const { nodeFlags: flags = [] } = JSON.parse(readFileSync(join(root, 'apps', app, 'package.json'), 'utf8')) as {
    readonly nodeFlags?: readonly string[];
  };
  return flags;
}

rmSync(join(out, 'bin'), { recursive: true, force: true });
mkdirSync(join(out, 'bin'));
for (const name of readdirSync(join(out, 'apps'))) {
  writeFileSync(join(out, 'bin', name), launcher(name, nodeFlags(name)), { mode: 0o755 });
}
