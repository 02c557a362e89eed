import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { categoryNames, runPeer } from './peer.ts';
import { FIXTURES, isEqual, runScenario, scenarioNames, type ScenarioReport, writeAnswers } from './xds.ts';

const USAGE = `usage: npm run conformance -- [--dir DIR] [--only SUBSTRING] [--skip REGEXP] [--out OUT] [--max N]
       npm run conformance -- peer [--dir DIR] [CATEGORY...]

Renders every scenario below DIR (the project's own by default), compares it with the answers recorded from Istio, and
writes what was rendered to OUT/SCENARIO/PROXY/TYPE.json. Exit status 0 only if all chosen scenarios are equal.
  --only SUBSTRING  only scenarios whose names contain it
  --skip REGEXP     no scenarios whose names match it
  --out OUT         nothing is written without it
  --max N           how many differences are printed (40)
\`peer\` runs data files of Istio's tests from DIR (default $CONFORMANCE_DIR, else ../shared/conformance/peer), which are not
part of the repository: ${categoryNames.join(', ')}.`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      dir: { type: 'string' },
      only: { type: 'string' },
      skip: { type: 'string' },
      out: { type: 'string' },
      max: { type: 'string', default: '40' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const [command, ...categories] = positionals;
  if (command === 'peer') return runPeer(values.dir, categories);
  if (command !== undefined) throw new Error(`unknown command ${command}\n${USAGE}`);
  return runXds(values.dir ?? FIXTURES, values);
}

interface XdsOptions {
  readonly only?: string;
  readonly skip?: string;
  readonly out?: string;
  readonly max?: string;
}

async function runXds(dir: string, { only = '', skip, out, max }: XdsOptions): Promise<number> {
  const skipped = skip === undefined ? undefined : new RegExp(skip);
  const names = scenarioNames(dir).filter((name) => name.includes(only) && !skipped?.test(name));
  const reports: ScenarioReport[] = [];
  for (const name of names) {
    const { report, answers } = runScenario(dir, name);
    reports.push(report);
    if (out !== undefined) await writeAnswers(join(out, name), answers);
  }
  printFindings(reports, Number(max));
  printSummary(reports);
  return names.length > 0 && reports.every(isEqual) ? 0 : 1;
}

function printFindings(reports: readonly ScenarioReport[], max: number): void {
  let left = max;
  for (const { name, failure, answers } of reports) {
    if (failure && left-- > 0) console.log(`${name}: cannot be rendered: ${failure}`);
    for (const { proxy, type, whole, findings } of answers) {
      const where = `${name}/${proxy}/${type}`;
      if (whole && left-- > 0) console.log(`${where}: the whole file is ${whole}`);
      for (const finding of findings) {
        if (left-- <= 0) continue;
        console.log(`${where} ${finding.name}: ${finding.problem}`);
        for (const { path, expected, actual } of finding.differences.slice(0, 8)) {
          console.log(`    ${path}\n      expected ${short(expected)}\n      actual   ${short(actual)}`);
        }
      }
    }
  }
  if (left < 0) console.log(`... and ${-left} more`);
}

function printSummary(reports: readonly ScenarioReport[]): void {
  for (const report of reports) {
    const { name, equal, resources } = report;
    console.log(`${isEqual(report) ? 'equal    ' : 'different'} ${name}: ${equal} of ${resources} resources equal`);
  }
  const sum = (of: (report: ScenarioReport) => number): number =>
    reports.reduce((total, report) => total + of(report), 0);
  console.log(
    `${reports.filter(isEqual).length} of ${reports.length} scenarios equal; ` +
      `${sum((r) => r.equal)} of ${sum((r) => r.resources)} resources equal`,
  );
}

const short = (value: unknown): string => (JSON.stringify(value) ?? 'absent').slice(0, 300);

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
