import type { HeaderMatcher, StringMatcher } from '@kedge/envoy-api';

/**
 * Tests a text against a pattern: `*` for any that isn't empty, `*end`, `start*`, or the text itself. Before what it matches
 * there may have to be a fixed text, which `*` alone does not care about.
 */
export function wildcardMatcher(pattern: string, before = ''): StringMatcher {
  if (pattern === '*') return { safeRegex: { regex: '.+' } };
  if (pattern.startsWith('*')) {
    const suffix = pattern.slice(1);
    return before === '' ? { suffix } : { safeRegex: { regex: `${before}.*${quoted(suffix)}` } };
  }
  return pattern.endsWith('*') ? { prefix: before + pattern.slice(0, -1) } : { exact: before + pattern };
}

/** Tests a header against a pattern; `*` asks that it be there. */
export function wildcardHeader(name: string, pattern: string, options: { ignoreCase?: boolean } = {}): HeaderMatcher {
  if (pattern === '*') return { name, presentMatch: true };
  return { name, stringMatch: { ...wildcardMatcher(pattern), ...options } };
}

/** A text as a regular expression (RE2) that matches just it. */
export function quoted(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&');
}
