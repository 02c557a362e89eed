import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { FIXTURES, isEqual, runScenario, scenarioNames } from './xds.ts';

/** Scenarios that are equal to Istio's answers. The list only grows: one that no longer is equal is a regression. */
const equalScenarios = readFileSync(join(import.meta.dirname, '../equal-scenarios.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

describe('scenarios that are equal to what Istio answers', () => {
  test.each(equalScenarios)('%s', (name) => {
    const { report } = runScenario(FIXTURES, name);
    expect(report.failure).toBeUndefined();
    expect(report.answers).toEqual([]);
  });

  test('the list has every scenario that is equal', () => {
    const known = new Set(equalScenarios);
    const unlisted = scenarioNames(FIXTURES).filter((name) => !known.has(name));
    expect(unlisted.filter((name) => isEqual(runScenario(FIXTURES, name).report))).toEqual([]);
  });
});
