import { parseArgs } from 'node:util';
import { effects, effectText } from './effects.ts';
import { ForgottenReads } from './forgotten-reads.ts';
import { courseText, growth, objectsComeAndGo, proxiesComeAndGo } from './heap.ts';
import { invariants } from './invariants/index.ts';

const USAGE = `usage: npm run soak -- [--minutes 10] [--only TEXT]
       npm run soak -- --seed N [--path P] [--only TEXT]
       npm run soak -- --reads N [--seed N]
       npm run soak -- --heap CYCLES

Looks for counterexamples to the invariants with random seeds, for as long as it is told, and then measures the memory over
10,000 cycles. A failure prints its seed and path.
  --only TEXT     only the invariants whose names contain it, and no memory
  --seed, --path  runs that very example again
  --reads N       looks in N random histories for accessors whose forgotten reads nobody would notice
  --heap CYCLES   measures the memory while objects, then proxies, come and go
Exit status 1 if an invariant is broken or memory grows, 2 for what it doesn't understand.`;

type Invariants = typeof invariants;

const newSeed = (): number => Math.floor(Math.random() * 2 ** 31);
const seconds = (since: number): string => ((performance.now() - since) / 1000).toFixed(1);

/** Whether an invariant holds; a counterexample is reported. */
function holds(check: () => void, name: string): boolean {
  try {
    check();
    return true;
  } catch (error) {
    console.error(`FAILED: ${name}\n${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

/** What may remain of noise. */
const MOST_GROWTH = 0.03;

async function isFlat(cycles: number): Promise<boolean> {
  let flat = true;
  for (const measure of [objectsComeAndGo, proxiesComeAndGo]) {
    const course = await measure(cycles);
    console.log(courseText(course));
    if (growth(course) <= MOST_GROWTH) continue;
    console.error(`FAILED: memory grows with ${course.name}`);
    flat = false;
  }
  return flat;
}

function searchForgottenReads(histories: number, seed: number): void {
  const search = new ForgottenReads({ seed, numRuns: histories, tries: 20, families: 10, directed: 10 });
  let noticed = 0;
  for (const accessor of search.accessors) {
    if (search.noticed(accessor) !== undefined) noticed += 1;
    else if (search.redundant(accessor)) console.log(`redundant: ${accessor}`);
    else console.log(`unnoticed: ${accessor}, read in ${search.readers(accessor)} histories`);
  }
  console.log(`seed ${seed}: ${noticed} of ${search.accessors.length} forgotten reads are noticed`);
}

function repeat(chosen: Invariants, seed: number, path: string | undefined): boolean {
  const held = chosen.map(({ name, check, runs }) => {
    const isSo = holds(() => check({ seed, path, numRuns: runs }), name);
    if (isSo) console.log(`holds: ${name}`);
    return isSo;
  });
  return held.every(Boolean);
}

/** Each invariant in turn, until time is up; one that is broken is not tried again. */
function soak(chosen: Invariants, minutes: number): boolean {
  for (const effect of effects({ seed: newSeed(), numRuns: 100 })) console.log(effectText(effect));
  const start = performance.now();
  const failed = new Set<string>();
  let examples = 0;
  while (performance.now() - start < minutes * 60_000 && failed.size < chosen.length) {
    for (const { name, check, runs } of chosen) {
      if (failed.has(name)) continue;
      if (!holds(() => check({ seed: newSeed(), numRuns: runs }), name)) failed.add(name);
      examples += runs;
    }
    console.log(`${seconds(start)} s: ${examples} examples, ${failed.size} of ${chosen.length} invariants broken`);
  }
  return failed.size === 0;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      only: { type: 'string', default: '' },
      seed: { type: 'string' },
      path: { type: 'string' },
      reads: { type: 'string' },
      heap: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const { minutes, only, seed, path, reads, heap, help } = values;
  if (help) {
    console.log(USAGE);
    return 0;
  }
  const chosen = invariants.filter(({ name }) => name.includes(only));
  if (chosen.length === 0) {
    throw new Error(`no invariant is called "${only}"; there are:\n${invariants.map(({ name }) => name).join('\n')}`);
  }
  if (heap !== undefined) return (await isFlat(Number(heap))) ? 0 : 1;
  if (reads !== undefined) {
    searchForgottenReads(Number(reads), Number(seed ?? newSeed()));
    return 0;
  }
  if (seed !== undefined) return repeat(chosen, Number(seed), path) ? 0 : 1;
  const sound = soak(chosen, Number(minutes));
  const flat = only !== '' || (await isFlat(10_000));
  return sound && flat ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
