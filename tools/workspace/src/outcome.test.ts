import { describe, expect, test } from '@jest/globals';
import { closingLine, outcomeOfJest } from './outcome.ts';
import { judge, type Tier } from './tiers.ts';

const report = { numPassedTests: 3, numFailedTests: 0, numPendingTests: 1, numRuntimeErrorTestSuites: 0 };
const check: Tier = { name: 'check', args: [], limitMinutes: 1 };
const jest: Tier = { name: 'jest', args: [], limitMinutes: 1, report: 'report.json' };

describe('the outcome of a tier', () => {
  test('a file that does not load is a failure', () => {
    expect(outcomeOfJest({ ...report, numRuntimeErrorTestSuites: 2 })).toMatchObject({
      passed: 3,
      failed: 2,
      skipped: 1,
    });
  });

  test('a run without tests is a failure', () => {
    expect(outcomeOfJest({ ...report, numPassedTests: 0 })).toMatchObject({ failed: 1, note: 'no test ran' });
  });

  test.each([
    [check, 0, false, undefined, { passed: 1, failed: 0 }],
    [check, 2, false, undefined, { passed: 0, failed: 1, note: 'exit code 2' }],
    [check, null, false, undefined, { passed: 0, failed: 1, note: 'ended after 1 minutes' }],
    [jest, 0, false, report, { passed: 3, failed: 0 }],
    [jest, 0, true, report, { passed: 3, failed: 1, note: 'left processes behind' }],
    [jest, 1, false, undefined, { passed: 0, failed: 1, note: 'jest wrote no report' }],
    [jest, 1, false, report, { passed: 3, failed: 1, note: 'exit code 1' }],
  ] as const)('%j that ends with %p, leaving processes: %p', (tier, exitCode, leftovers, jestReport, expected) => {
    expect(judge(tier, { exitCode, leftovers }, jestReport)).toMatchObject(expected);
  });

  test('the closing line sums all tiers', () => {
    const outcomes = [
      { passed: 3, failed: 0, skipped: 2 },
      { passed: 1, failed: 1, skipped: 0 },
    ];
    expect(closingLine(outcomes)).toBe('4 passed, 1 failed');
  });
});
