// Compares templates with Go, where Go is installed.
//   record            writes what Go makes of the corpus into libs/go-template/testdata
//   random [n [seed]] renders n random templates in both, and prints those that differ
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { corpus } from './corpus.ts';
import { GoRenderer } from './go-renderer.ts';
import { compareRandom } from './random.ts';

const testdata = join(import.meta.dirname, '..', '..', '..', 'libs', 'go-template', 'testdata');

/** Values that tables share are kept once, at the head of a file: lines name them by number. */
const record = (renderer: GoRenderer): void => {
  mkdirSync(testdata, { recursive: true });
  for (const [name, cases] of Object.entries(corpus)) {
    const results = renderer.render(cases);
    const shared: string[] = [];
    const indexOf = (values: unknown): number => {
      const json = JSON.stringify(values ?? null);
      const known = shared.indexOf(json);
      return known < 0 ? shared.push(json) - 1 : known;
    };
    const lines = cases.map(({ values, files, ...rest }, index) =>
      JSON.stringify({ ...rest, values: indexOf(values), ...(files && { files: indexOf(files) }), ...results[index] }),
    );
    writeFileSync(join(testdata, `${name}.jsonl`), `[${shared.join(',')}]\n${lines.join('\n')}\n`);
    console.log(`${name}: ${cases.length} cases`);
  }
};

const [command, count = '10000', seed = String(Date.now())] = process.argv.slice(2);
using renderer = new GoRenderer();
if (command === 'record') record(renderer);
else if (command === 'random') process.exitCode = compareRandom(renderer, Number(count), Number(seed)) ? 0 : 1;
else {
  console.error('usage: main.ts record | random [n [seed]]');
  process.exitCode = 2;
}
