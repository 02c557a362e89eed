import type { StringMatcher } from '@kedge/envoy-api';
import type { StringMatch } from '@kedge/model';

/** Undefined for a test that asks for nothing. */
export function stringMatcher({ exact, prefix, regex }: StringMatch): StringMatcher | undefined {
  if (exact !== undefined) return { exact };
  if (prefix !== undefined) return { prefix };
  if (regex !== undefined) return { safeRegex: { regex } };
  return undefined;
}

/**
 * Whether a test only asks that there be a value: it says nothing, or it is the regular expression `*`, which isn't one but
 * has always been taken so.
 */
export function asksForPresence(match: StringMatch): boolean {
  return match.regex === '*' || stringMatcher(match) === undefined;
}
