/** What a tier counts for in the closing line. */
export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Why, where the numbers alone do not say it. */
  readonly note?: string;
}

/** The part of a report of `jest --json` that is counted. */
export interface JestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  /** Files that could not even be loaded. */
  readonly numRuntimeErrorTestSuites: number;
}

/** A file that does not load counts as a failed test, and a run without tests as a failure: it would hide that nothing ran. */
export function outcomeOfJest(report: JestReport): Outcome {
  const passed = report.numPassedTests;
  const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
  const skipped = report.numPendingTests;
  return passed + failed === 0 ? { passed, failed: 1, skipped, note: 'no test ran' } : { passed, failed, skipped };
}

/** The last line of a run. */
export function closingLine(outcomes: readonly Outcome[]): string {
  const total = (key: 'passed' | 'failed'): number => outcomes.reduce((sum, outcome) => sum + outcome[key], 0);
  return `${total('passed')} passed, ${total('failed')} failed`;
}
