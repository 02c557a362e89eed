import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { collectingLogger } from '../testing/collecting-logger.ts';
import type { WorkloadCertificate } from './workload-certificate.ts';
import { WorkloadIdentity } from './workload-identity.ts';

beforeEach(() => void jest.useFakeTimers({ now: 0 }));
afterEach(() => void jest.useRealTimers());

/** Gives what is next in the list, again and again the last. */
function start(outcomes: readonly ('certificate' | 'failure')[]) {
  const asked: number[] = [];
  const told: number[] = [];
  const { log, lines } = collectingLogger();
  const identity = new WorkloadIdentity({
    request: async (): Promise<WorkloadCertificate> => {
      const outcome = outcomes[Math.min(asked.length, outcomes.length - 1)];
      asked.push(Date.now());
      if (outcome === 'failure') throw new Error('the authority is down');
      return { key: '', chain: '', roots: '', issuedAt: Date.now(), expiresAt: Date.now() + 10_000 };
    },
    renewal: { graceRatio: 0.5, jitter: 0 },
    log,
    random: () => 1,
  });
  identity.subscribe(({ issuedAt }) => told.push(issuedAt));
  return { identity, asked, told, lines };
}

test('it is renewed before its end, each time anew', async () => {
  const { identity, told } = start(['certificate']);
  await jest.advanceTimersByTimeAsync(10_500);
  expect(told).toEqual([0, 5000, 10_000]);
  identity[Symbol.dispose]();
  await jest.advanceTimersByTimeAsync(20_000);
  expect(told).toHaveLength(3);
});

test('where it fails, it is tried again with growing delays, and the one that there is stays until its end', async () => {
  const { identity, asked, told, lines } = start(['certificate', 'failure', 'failure', 'failure', 'certificate']);
  await jest.advanceTimersByTimeAsync(9000);
  expect(asked).toEqual([0, 5000, 5500, 6500, 8500]);
  expect(told).toEqual([0, 8500]);
  expect(identity.current).toBeDefined();
  expect(lines.join('')).toMatch(
    /no new certificate, the one until 1970-01-01T00:00:10.000Z stays.*the authority is down/,
  );
  identity[Symbol.dispose]();
});

test('an expired one is none', async () => {
  const { identity } = start(['certificate', 'failure']);
  await jest.advanceTimersByTimeAsync(9999);
  expect(identity.current).toBeDefined();
  await jest.advanceTimersByTimeAsync(2);
  expect(identity.current).toBeUndefined();
  identity[Symbol.dispose]();
});
