export interface RenewalPolicy {
  /** The share of the life that is left when a certificate is renewed. */
  readonly graceRatio: number;
  /** By how much that may differ either way, so that the proxies of a mesh don't all come at once. */
  readonly jitter: number;
}

/** The longest that a timer can wait. */
const maximumDelay = 2 ** 31 - 1;

/** The shortest wait, also after a success: one that is due at once, again and again, would keep the authority busy. */
const firstRetry = 500;
const lastRetry = 30_000;

/** Milliseconds until a certificate is to be renewed. */
export function renewalDelay(
  { issuedAt, expiresAt }: { readonly issuedAt: number; readonly expiresAt: number },
  { graceRatio, jitter }: RenewalPolicy,
  now: number,
  random: () => number = Math.random,
): number {
  const ratio = Math.min(Math.max(graceRatio + (2 * random() - 1) * jitter, 0), 1);
  const renewAt = expiresAt - ratio * (expiresAt - issuedAt);
  return Math.min(Math.max(renewAt - now, firstRetry), maximumDelay);
}

/** Milliseconds before the attempt (1, 2, ...) that follows so many failures: doubled each time, with half of it random. */
export function retryDelay(failures: number, random: () => number = Math.random): number {
  const full = Math.min(firstRetry * 2 ** (failures - 1), lastRetry);
  return full * (0.5 + random() / 2);
}
