/** When to start a process again that ended unexpectedly. */
export interface BackOffPolicy {
  readonly initialMs: number;
  readonly maxMs: number;
  /** Attempts in a row before giving up. */
  readonly maxAttempts: number;
  /** A process that ran this long was well; the next failure counts as the first again. */
  readonly resetAfterMs: number;
}

export const restartPolicy: BackOffPolicy = {
  initialMs: 200,
  maxMs: 60_000,
  maxAttempts: 10,
  resetAfterMs: 600_000,
};

/** The delay before the attempt (1, 2, ...), or undefined if there shall be none. */
export function restartDelay(policy: BackOffPolicy, attempt: number): number | undefined {
  return attempt > policy.maxAttempts ? undefined : Math.min(policy.initialMs * 2 ** (attempt - 1), policy.maxMs);
}
