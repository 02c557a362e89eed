// Puts a launcher into `out/bin` for every app that was built.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launcher } from './launcher.ts';

const out = fileURLToPath(new URL('../../../out/', import.meta.url));

/** What Node is told for an app. A command that soon ends needs no large nursery for its objects: it takes less memory without. */
const FLAGS: Readonly<Record<string, readonly string[]>> = { istioctl: ['--max-semi-space-size=4'] };

rmSync(join(out, 'bin'), { recursive: true, force: true });
mkdirSync(join(out, 'bin'));
for (const name of readdirSync(join(out, 'apps'))) {
  writeFileSync(join(out, 'bin', name), launcher(name, FLAGS[name]), { mode: 0o755 });
}
