// Puts a launcher into `out/bin` for every app that was built.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launcher } from './launcher.ts';

const out = fileURLToPath(new URL('../../../out/', import.meta.url));

rmSync(join(out, 'bin'), { recursive: true, force: true });
mkdirSync(join(out, 'bin'));
for (const name of readdirSync(join(out, 'apps'))) {
  writeFileSync(join(out, 'bin', name), launcher(name), { mode: 0o755 });
}
