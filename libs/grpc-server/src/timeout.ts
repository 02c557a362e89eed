const unitMilliseconds: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 };

/** Timers of Node overflow above 2^31-1 ms; a call with a longer time-out (24 days) counts as one that lasts that long. */
const maxTimer = 2 ** 31 - 1;

/** The milliseconds (rounded up) of a `grpc-timeout` header, or undefined where it is malformed. */
export function parseTimeout(header: string): number | undefined {
  const [, digits, unit] = /^(\d{1,8})([HMSmun])$/.exec(header) ?? [];
  if (digits === undefined || unit === undefined) return undefined;
  return Math.min(maxTimer, Math.ceil(Number(digits) * unitMilliseconds[unit]!));
}
