// Runs the tiers of `make test` one after the other and closes with one line that sums them up.
//
//   node tools/workspace/src/test-tiers.ts [TIER...]
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { closingLine, type JestReport, type Outcome } from './outcome.ts';
import { runNode } from './run-tier.ts';
import { judge, type Tier, tiers } from './tiers.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

async function run(tier: Tier): Promise<Outcome> {
  if (tier.needs !== undefined && !process.env[tier.needs]) {
    const missing = tier.optional === true ? { failed: 0, skipped: 1 } : { failed: 1, skipped: 0 };
    return { passed: 0, ...missing, note: `cannot run without ${tier.needs}` };
  }
  const reportFile = tier.report === undefined ? undefined : join(root, tier.report);
  if (reportFile !== undefined) {
    mkdirSync(dirname(reportFile), { recursive: true });
    rmSync(reportFile, { force: true });
  }
  const ended = await runNode(tier.args, root, tier.limitMinutes * 60_000);
  const report =
    reportFile !== undefined && existsSync(reportFile)
      ? (JSON.parse(readFileSync(reportFile, 'utf8')) as JestReport)
      : undefined;
  return judge(tier, ended, report);
}

const names = process.argv.slice(2);
const unknown = names.filter((name) => !tiers.some((tier) => tier.name === name));
if (unknown.length > 0) {
  console.error(`unknown tier ${unknown.join(', ')}; there are: ${tiers.map((tier) => tier.name).join(', ')}`);
  process.exit(2);
}

const summary: { readonly tier: Tier; readonly outcome: Outcome; readonly seconds: number }[] = [];
for (const tier of tiers) {
  if (names.length > 0 && !names.includes(tier.name)) continue;
  console.log(`== ${tier.name}`);
  const start = performance.now();
  const outcome = await run(tier);
  summary.push({ tier, outcome, seconds: (performance.now() - start) / 1000 });
}

console.log('');
for (const { tier, outcome, seconds } of summary) {
  const skipped = outcome.skipped > 0 ? `, ${outcome.skipped} skipped` : '';
  const note = outcome.note === undefined ? '' : ` (${outcome.note})`;
  const counts = `${outcome.passed} passed, ${outcome.failed} failed${skipped}${note}`;
  console.log(`${tier.name.padEnd(8)} ${seconds.toFixed(1).padStart(6)} s  ${counts}`);
}
console.log(closingLine(summary.map(({ outcome }) => outcome)));
process.exitCode = summary.some(({ outcome }) => outcome.failed > 0) ? 1 : 0;
