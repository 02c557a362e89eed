import { afterEach, expect, test } from '@jest/globals';
import { until } from '@kedge/testbed';
import { collectingLogger } from '../testing/collecting-logger.ts';
import type { Health } from '../xds-proxy/agent-requests.ts';
import { readinessProbe } from './readiness-probe.ts';
import { type ProbeTiming, timingOf, WorkloadHealth } from './workload-health.ts';

let health: WorkloadHealth | undefined;
afterEach(() => health?.[Symbol.dispose]());

/** Probes with these results, of which the last stays, and gives what was told after the last one was seen. */
async function toldOf(results: readonly boolean[], timing: Partial<ProbeTiming>): Promise<readonly Health[]> {
  const told: Health[] = [];
  let probed = 0;
  const probe = async (): Promise<void> => {
    const result = results[Math.min(probed++, results.length - 1)];
    if (!result) throw new Error('unwell');
  };
  const defaults = { initialDelayMs: 0, periodMs: 1, successThreshold: 1, failureThreshold: 1 };
  health = new WorkloadHealth({ timing: { ...defaults, ...timing }, probes: [probe], log: collectingLogger().log });
  health.subscribe((one) => told.push(one));
  await until('all probes', () => probed > results.length);
  return told;
}

const kinds = (told: readonly Health[]) => told.map(({ kind }) => kind);

test.each([
  [[true, true, true], {}, ['healthy']],
  [[false, false, true], {}, ['unhealthy', 'healthy']],
  [[true, false, true, false, false, true], { failureThreshold: 2 }, ['healthy', 'unhealthy', 'healthy']],
  [[true, false, true, true], { successThreshold: 2 }, ['unhealthy', 'healthy']],
  [[false, true, false, true, false], { failureThreshold: 2, successThreshold: 2 }, []],
])('%j with %j tells %j', async (results, timing, expected) => {
  // The last result goes on for ever, so nothing may hang on how often it was seen.
  const told = kinds(await toldOf(results, timing));
  expect(told.slice(0, expected.length)).toEqual(expected);
});

test('the reason is told, and later ones are not', async () => {
  expect(await toldOf([false, false, false], {})).toEqual([{ kind: 'unhealthy', reason: 'unwell' }]);
  expect(health?.current).toEqual({ kind: 'unhealthy', reason: 'unwell' });
});

test('who no longer listens is not told, and nothing is probed after the end', async () => {
  let probed = 0;
  const probe = async () => void (probed += 1);
  const timing = { initialDelayMs: 0, periodMs: 1, successThreshold: 1, failureThreshold: 1 };
  health = new WorkloadHealth({ timing, probes: [probe], log: collectingLogger().log });
  const told: Health[] = [];
  health.subscribe((one) => told.push(one))[Symbol.dispose]();
  await until('a probe', () => probed > 0);
  health[Symbol.dispose]();
  const before = probed;
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(probed - before).toBeLessThanOrEqual(1);
  expect(told).toEqual([]);
});

test('what is 0 in a probe has a default', () => {
  const expected = { initialDelayMs: 0, periodMs: 10_000, successThreshold: 1, failureThreshold: 1 };
  expect(timingOf({ periodSeconds: 0, tcpSocket: { port: 1 } })).toEqual(expected);
  expect(timingOf({ initialDelaySeconds: 2, failureThreshold: 3, periodSeconds: 5 })).toMatchObject({
    initialDelayMs: 2000,
    periodMs: 5000,
    failureThreshold: 3,
  });
});

test('a probe needs something to do', async () => {
  expect(() => readinessProbe({}, '127.0.0.1')).toThrow('one of httpGet');
  await expect(readinessProbe({ tcpSocket: { port: 1 } }, '127.0.0.1')()).rejects.toThrow('ECONNREFUSED');
  await readinessProbe({ exec: { command: [process.execPath, '-e', ''] }, timeoutSeconds: 5 }, '127.0.0.1')();
});
