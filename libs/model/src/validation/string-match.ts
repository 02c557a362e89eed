import type { StringMatch } from '../kinds/string-match.ts';
import type { Issues } from './issues.ts';
import { boundedRegexProblem } from './regex.ts';

/** A match that must not be empty, as Envoy's string matchers. */
export function validateStringMatch(issues: Issues, match: StringMatch): void {
  issues.errorIf(match.prefix === '', 'empty-match', 'the prefix must not be empty');
  validateRegexMatch(issues, match);
}

/** A match whose prefix may be empty. */
export function validateRegexMatch(issues: Issues, { regex }: StringMatch): void {
  if (regex === undefined) return;
  if (regex === '') issues.error('empty-match', 'the regular expression must not be empty');
  else issues.at('regex').check('invalid-regex', boundedRegexProblem(regex));
}
