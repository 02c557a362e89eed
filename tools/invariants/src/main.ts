// Looks for counterexamples to the invariants with random seeds, for as long as it is told.
//
//   node tools/invariants/src/main.ts [--minutes 10] [--only TEXT] [--seed N [--path P]] [--reads N] [--heap CYCLES]
//
// A failure prints its seed and path; `--only TEXT --seed N --path P` runs that very example again. `--reads N` looks for
// accessors whose forgotten reads nobody would notice, in N random histories. `--heap CYCLES` measures the memory while objects
// and proxies come and go, which a run without options does as well, over 10,000 cycles.
import { parseArgs } from 'node:util';
import { effects, effectText } from './effects.ts';
import { courseText, growth, objectsComeAndGo, proxiesComeAndGo } from './heap.ts';
import { ForgottenReads } from './forgotten-reads.ts';
import { invariants } from './invariants/index.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    only: { type: 'string', default: '' },
    seed: { type: 'string' },
    path: { type: 'string' },
    reads: { type: 'string' },
    heap: { type: 'string' },
  },
});

const chosen = invariants.filter(({ name }) => name.includes(values.only));
if (chosen.length === 0) {
  console.error(
    `no invariant is called "${values.only}"; there are:\n${invariants.map(({ name }) => name).join('\n')}`,
  );
  process.exit(2);
}

const newSeed = (): number => Math.floor(Math.random() * 2 ** 31);
const seconds = (since: number): string => ((performance.now() - since) / 1000).toFixed(1);

/** Runs an invariant once; a failure is reported and counted. */
function run(check: () => void, name: string): boolean {
  try {
    check();
    return true;
  } catch (error) {
    console.error(`FAILED: ${name}\n${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
    return false;
  }
}

/** What may remain of noise. */
const MOST_GROWTH = 0.03;

async function measureHeap(cycles: number): Promise<void> {
  for (const measure of [objectsComeAndGo, proxiesComeAndGo]) {
    const course = await measure(cycles);
    console.log(courseText(course));
    if (growth(course) <= MOST_GROWTH) continue;
    console.error(`FAILED: memory grows with ${course.name}`);
    process.exitCode = 1;
  }
}

if (values.heap !== undefined) {
  await measureHeap(Number(values.heap));
} else if (values.reads !== undefined) {
  const seed = Number(values.seed ?? newSeed());
  const search = new ForgottenReads({ seed, numRuns: Number(values.reads), tries: 20, families: 10, directed: 10 });
  let noticed = 0;
  for (const accessor of search.accessors) {
    if (search.noticed(accessor) !== undefined) noticed += 1;
    else if (search.redundant(accessor)) console.log(`redundant: ${accessor}`);
    else console.log(`unnoticed: ${accessor}, read in ${search.readers(accessor)} histories`);
  }
  console.log(`seed ${seed}: ${noticed} of ${search.accessors.length} forgotten reads are noticed`);
} else if (values.seed !== undefined) {
  const { seed, path } = values;
  for (const { name, check, runs } of chosen) {
    if (run(() => check({ seed: Number(seed), path, numRuns: runs }), name)) console.log(`holds: ${name}`);
  }
} else {
  for (const effect of effects({ seed: newSeed(), numRuns: 100 })) console.log(effectText(effect));
  const start = performance.now();
  const failed = new Set<string>();
  let examples = 0;
  while (performance.now() - start < Number(values.minutes) * 60_000 && failed.size < chosen.length) {
    for (const { name, check, runs } of chosen) {
      if (failed.has(name)) continue;
      if (!run(() => check({ seed: newSeed(), numRuns: runs }), name)) failed.add(name);
      examples += runs;
    }
    console.log(`${seconds(start)} s: ${examples} examples, ${failed.size} of ${chosen.length} invariants broken`);
  }
  if (values.only === '') await measureHeap(10_000);
}
