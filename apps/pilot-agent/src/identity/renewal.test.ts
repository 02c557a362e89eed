import { expect, test } from '@jest/globals';
import { renewalDelay, retryDelay } from './renewal.ts';

const certificate = { issuedAt: 1000, expiresAt: 11_000 };

test.each([
  ['half of its life', { graceRatio: 0.5, jitter: 0 }, 1000, 0.5, 5000],
  ['earlier by jitter', { graceRatio: 0.5, jitter: 0.1 }, 1000, 1, 4000],
  ['later by jitter', { graceRatio: 0.5, jitter: 0.1 }, 1000, 0, 6000],
  ['a moment where it is late', { graceRatio: 0.5, jitter: 0 }, 9000, 0.5, 500],
  ['a moment where it is always late', { graceRatio: 1, jitter: 0 }, 1000, 0.5, 500],
  ['at its end at the latest', { graceRatio: 0, jitter: 0.5 }, 1000, 0, 10_000],
])('a certificate is renewed after %s', (_, policy, now, random, delay) => {
  expect(renewalDelay(certificate, policy, now, () => random)).toBeCloseTo(delay);
});

test('a timer never waits longer than it can', () => {
  expect(renewalDelay({ issuedAt: 0, expiresAt: 1e13 }, { graceRatio: 0.1, jitter: 0 }, 0)).toBe(2 ** 31 - 1);
});

test('retries come ever later, up to half a minute', () => {
  expect([1, 2, 3, 7, 50].map((failures) => retryDelay(failures, () => 1))).toEqual([500, 1000, 2000, 30_000, 30_000]);
  expect(retryDelay(1, () => 0)).toBe(250);
});
