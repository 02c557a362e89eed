import type { HTTPMatchRequest } from '../kinds/virtual-service.ts';
import { dnsLabelProblem } from './dns.ts';
import { validateGatewayNames } from './gateway-names.ts';
import { matchedHeaderNameProblem } from './http-header.ts';
import type { Issues } from './issues.ts';
import { validateLabels } from './labels.ts';
import { validateOptionalPort } from './port.ts';
import { validateRegexMatch, validateStringMatch } from './string-match.ts';

export function validateHttpMatch(issues: Issues, match: HTTPMatchRequest): void {
  issues.field('uri', match.uri, validateRegexMatch);
  for (const field of ['scheme', 'method', 'authority'] as const)
    issues.field(field, match[field], validateStringMatch);
  issues.entries('headers', match.headers, (at, value, name) => {
    at.check('invalid-header-name', matchedHeaderNameProblem(name));
    validateStringMatch(at, value);
  });
  issues.entries('withoutHeaders', match.withoutHeaders, (at, value, name) => {
    at.check('invalid-header-name', matchedHeaderNameProblem(name));
    // `*` stands for "is there" and is no regular expression.
    if (value.regex !== '*') validateStringMatch(at, value);
  });
  issues.entries('queryParams', match.queryParams, validateStringMatch);
  validateOptionalPort(issues.at('port'), match.port ?? 0);
  validateLabels(issues, 'sourceLabels', match.sourceLabels);
  validateGatewayNames(issues.errorsOnly, match.gateways);
  if (match.sourceNamespace)
    issues.at('sourceNamespace').check('invalid-namespace', dnsLabelProblem(match.sourceNamespace));
}
