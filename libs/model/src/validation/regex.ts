import { RE2JS } from 're2js';
import { type Problem, quote } from './issues.ts';

export const MAX_REGEX_LENGTH = 1024;

/** A regular expression in RE2 syntax, which Envoy uses. */
export function regexProblem(regex: string): Problem {
  try {
    RE2JS.compile(regex);
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error);
    return `${quote(regex)} is not a regular expression in RE2 syntax: ${reason}`;
  }
}

/** Whether a text, or a part of it, matches. Nothing matches what is no regular expression, or too long for one. */
export function matchesRegex(regex: string, text: string): boolean {
  return boundedRegexProblem(regex) === undefined && RE2JS.compile(regex).matcher(text).find();
}

/** A regular expression of acceptable length. */
export function boundedRegexProblem(regex: string): Problem {
  if (Buffer.byteLength(regex) > MAX_REGEX_LENGTH)
    return `the regular expression is longer than ${MAX_REGEX_LENGTH} bytes`;
  return regexProblem(regex);
}
