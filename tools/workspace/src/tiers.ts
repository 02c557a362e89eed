import { type JestReport, type Outcome, outcomeOfJest } from './outcome.ts';
import { type Ended } from './run-tier.ts';

/** A part of `make test`: one command, judged by its exit code, or a jest run, judged by its report. */
export interface Tier {
  readonly name: string;
  /** What follows `node`. */
  readonly args: readonly string[];
  readonly limitMinutes: number;
  /** An environment variable without which the tier cannot run. */
  readonly needs?: string;
  /** Whether it is skipped then, and not failed: not every machine can have what it needs. */
  readonly optional?: boolean;
  /** Where the jest run writes its report. */
  readonly report?: string;
}

const jest = (name: string, limitMinutes: number, ...args: readonly string[]): Tier => {
  const report = `out/test/${name}.json`;
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  return {
    name,
    limitMinutes,
    report,
    args: [...flags, 'node_modules/jest/bin/jest.js', '--json', `--outputFile=${report}`, ...args],
  };
};

export const tiers: readonly Tier[] = [
  { name: 'types', args: ['node_modules/typescript7/bin/tsc', '-b', 'tsconfig.json'], limitMinutes: 5 },
  { name: 'lint', args: ['node_modules/eslint/bin/eslint.js', '.'], limitMinutes: 5 },
  {
    name: 'format',
    args: ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level=warn', '.'],
    limitMinutes: 2,
  },
  { name: 'unused', args: ['node_modules/knip/bin/knip.js', '--no-progress', '--no-config-hints'], limitMinutes: 2 },
  jest('unit', 10),
  { ...jest('envoy', 10, '--config=jest.envoy.config.mjs', '--runInBand'), needs: 'ENVOY_BIN' },
  { ...jest('helm', 10, '--config=jest.helm.config.mjs'), needs: 'HELM_BIN', optional: true },
];

/** What a finished tier counts for. `report` is the jest report if it was written. */
export function judge(tier: Tier, ended: Ended, report: JestReport | undefined): Outcome {
  if (ended.exitCode === null) return failure(`ended after ${tier.limitMinutes} minutes`);
  if (tier.report !== undefined && report === undefined) return failure('jest wrote no report');
  const outcome = report ? outcomeOfJest(report) : { passed: ended.exitCode === 0 ? 1 : 0, failed: 0, skipped: 0 };
  if (outcome.failed > 0) return outcome;
  if (ended.exitCode !== 0) return { ...outcome, failed: 1, note: `exit code ${ended.exitCode}` };
  return ended.leftovers ? { ...outcome, failed: 1, note: 'left processes behind' } : outcome;
}

const failure = (note: string): Outcome => ({ passed: 0, failed: 1, skipped: 0, note });
