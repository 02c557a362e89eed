import { isDeepStrictEqual } from 'node:util';

/** Lists with the identical members in the same order. */
export function sameMembers<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((member, at) => Object.is(member, b[at]));
}

/** Values alike in all parts: for small values that are made anew by every computation. */
export function alike(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a, b);
}
