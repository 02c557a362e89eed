import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chartCopies, chartsFolder } from './chart-copies.ts';

// Writes into each chart its copies of what charts have in common. They are committed, because charts are installed from
// where they lie; a test beside this holds them to their originals.

for (const [path, text] of chartCopies()) {
  const file = join(chartsFolder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
