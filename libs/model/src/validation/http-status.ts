import type { Problem } from './issues.ts';

/** Assigned HTTP status codes, as ranges; https://www.iana.org/assignments/http-status-codes */
const ASSIGNED = [
  [100, 103],
  [200, 208],
  [226, 226],
  [300, 305],
  [307, 308],
  [400, 418],
  [421, 426],
  [428, 429],
  [431, 431],
  [451, 451],
  [500, 508],
  [510, 511],
] as const;

/** Whether the text is the number of an HTTP status that has a meaning. */
export function isKnownHttpStatus(text: string): boolean {
  const status = /^[+-]?\d+$/.test(text) ? Number(text) : 0;
  return ASSIGNED.some(([first, last]) => first <= status && status <= last);
}

/** A status that a proxy can answer with. */
export function responseStatusProblem(status: number): Problem {
  return status >= 200 && status <= 600
    ? undefined
    : `${status} is not the status of a response: it must be in 200..599`;
}
