import type { Problem } from './issues.ts';

/** Durations are milliseconds; the data plane keeps whole ones, one at least. */
export function durationProblem(milliseconds: number): Problem {
  if (milliseconds < 1) return 'must be at least 1ms';
  return isWhole(milliseconds) ? undefined : 'must be a whole number of milliseconds';
}

/** Whether the duration has no fraction of the unit (in milliseconds), at the nanosecond precision of protobuf. */
export function isWhole(milliseconds: number, unit = 1): boolean {
  const nanoseconds = Math.round((milliseconds % unit) * 1e6);
  return nanoseconds % (unit * 1e6) === 0;
}

export function percentProblem(value: number): Problem {
  return value >= 0 && value <= 100 ? undefined : `${value} is not a percentage: it must be in 0..100`;
}

/** A share of requests: the data plane counts in millionths. */
export function fractionalPercentProblem(value: number): Problem {
  if (value === 0 || (value >= 0.0001 && value <= 100)) return undefined;
  return `${value} is not a percentage: it must be 0 or in 0.0001..100`;
}

export function negativeProblem(value: number): Problem {
  return value < 0 ? `${value} must not be negative` : undefined;
}

/** Whether the number is a prime, or 1. */
export function isPrime(n: number): boolean {
  if (n < 4) return n > 0;
  if (n % 2 === 0) return false;
  for (let factor = 3; factor * factor <= n; factor += 2) if (n % factor === 0) return false;
  return true;
}
