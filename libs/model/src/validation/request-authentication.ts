import type { ConfigOf } from '../kinds/config.ts';
import type { JWTRule } from '../kinds/request-authentication.ts';
import { plainHeaderNameProblem } from './http-header.ts';
import { type Issues, type Problem, quote } from './issues.ts';
import { readKeySet } from './jwks.ts';
import { durationProblem } from './numbers.ts';
import { parseUrl } from './url.ts';
import { validatePolicyTarget } from './workload-selector.ts';

export function validateRequestAuthentication(issues: Issues, { spec }: ConfigOf<'RequestAuthentication'>): void {
  validatePolicyTarget(issues, spec);
  issues.each('jwtRules', spec.jwtRules, validateJwtRule);
}

function validateJwtRule(issues: Issues, rule: JWTRule): void {
  const { issuer = '', jwksUri = '', jwks = '', fromHeaders, outputClaimToHeaders } = rule;
  issues.errorIf(issuer === '' && jwksUri === '', 'required', 'needs issuer or jwksUri');
  if (jwksUri !== '') issues.at('jwksUri').check('invalid-url', jwksUriProblem(jwksUri));
  if (jwks !== '') validateJwks(issues.at('jwks'), jwks);
  for (const field of ['audiences', 'fromParams', 'fromCookies'] as const) {
    issues.each(field, rule[field], (at, value) => at.errorIf(value === '', 'required', 'must not be empty'));
  }
  issues.each('fromHeaders', fromHeaders, (at, { name }) =>
    at.at('name').errorIf(name === '', 'required', 'needs the name of the header'),
  );
  issues.each('outputClaimToHeaders', outputClaimToHeaders, (at, { header, claim }) => {
    if (header === '' || claim === '') at.error('required', 'needs both header and claim');
    else at.at('header').check('invalid-header-name', plainHeaderNameProblem(header));
  });
  issues.checkFields(rule, ['timeout'], 'invalid-duration', durationProblem);
}

function jwksUriProblem(uri: string): Problem {
  const [location = ''] = uri.split('#', 1);
  const scheme = parseUrl(location)?.scheme;
  return scheme === 'http' || scheme === 'https'
    ? undefined
    : `${quote(uri)} is not a URL that begins with http:// or https://`;
}

function validateJwks(issues: Issues, jwks: string): void {
  const { problem, secretKeys } = readKeySet(jwks);
  issues.check('invalid-jwks', problem);
  for (const i of secretKeys) {
    issues.warn(
      'private-key',
      `key ${i} holds private key material, which is readable here by everybody; only public keys are needed`,
    );
  }
}
