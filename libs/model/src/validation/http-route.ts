import type { HTTPRoute } from '../kinds/virtual-service.ts';
import { validateDestination, validateWeights } from './destination.ts';
import { validateFault } from './fault.ts';
import {
  validateCors,
  validateDirectResponse,
  validateMirror,
  validateRedirect,
  validateRetry,
  validateRewrite,
} from './http-action.ts';
import { isAuthority, validateHeaderManipulation } from './http-header.ts';
import { validateHttpMatch } from './http-match.ts';
import type { Issues } from './issues.ts';
import { durationProblem, percentProblem } from './numbers.ts';

export interface HttpRouteRules {
  /** Whether the virtual service is a delegate: one without hosts, which others refer to. */
  readonly inDelegate: boolean;
  readonly fromGatewayApi: boolean;
}

export function validateHttpRoute(issues: Issues, route: HTTPRoute, rules: HttpRouteRules): void {
  validateKindOfRoute(issues, route, rules.inDelegate);
  issues.each('match', route.match, validateHttpMatch);
  issues.field('headers', route.headers, validateHeaderManipulation);
  issues.field('corsPolicy', route.corsPolicy, validateCors);
  issues.field('fault', route.fault, validateFault);
  validateMirroring(issues, route);
  issues.field('redirect', route.redirect, (at, redirect) => validateRedirect(at, redirect, route.match));
  issues.field('directResponse', route.directResponse, validateDirectResponse);
  issues.field('retries', route.retries, validateRetry);
  issues.field('rewrite', route.rewrite, validateRewrite);
  issues.errorIf(
    setsAuthorityAgain(route),
    'conflicting-fields',
    'the authority is set more than once, by rewrite.authority and headers.request, or by both names of the header',
  );
  route.route.forEach(({ headers }, i) => issues.at('route', i).field('headers', headers, validateHeaderManipulation));
  validateWeights(issues, route.route, rules.fromGatewayApi);
  issues.checkFields(route, ['timeout'], 'invalid-duration', durationProblem);
}

/** A route delegates, redirects, answers by itself or forwards; each excludes the others. */
function validateKindOfRoute(issues: Issues, route: HTTPRoute, inDelegate: boolean): void {
  const { delegate, redirect, directResponse } = route;
  const exclude = (by: string, fields: readonly (keyof HTTPRoute)[]): void => {
    for (const field of fields) {
      const value = route[field];
      const set = Array.isArray(value) ? value.length > 0 : value !== undefined;
      issues.at(field).errorIf(set, 'conflicting-fields', `cannot be set beside ${by}`);
    }
  };
  if (delegate && !inDelegate) {
    exclude('delegate', ['redirect', 'route']);
    return;
  }
  if (delegate) issues.at('delegate').error('unsupported', 'a delegate cannot delegate to another');
  if (redirect) exclude('redirect', ['route', 'fault', 'rewrite', 'directResponse']);
  else if (directResponse) exclude('directResponse', ['route', 'fault', 'rewrite']);
  else issues.errorIf(route.route.length === 0, 'required', 'needs route, redirect or directResponse');
  if (route.mirror) exclude('mirror', ['mirrors']);
}

function validateMirroring(issues: Issues, route: HTTPRoute): void {
  const { mirror, mirrors, mirrorPercent, mirrorPercentage } = route;
  issues.field('mirror', mirror, validateDestination);
  issues.each('mirrors', mirrors, validateMirror);
  issues.field('mirrorPercent', mirrorPercent, (at, percent) => {
    at.check('out-of-range', percentProblem(percent));
    at.warn('deprecated-field', 'is deprecated; use mirrorPercentage');
  });
  issues.field('mirrorPercentage', mirrorPercentage, (at, { value = 0 }) =>
    at.check('out-of-range', percentProblem(value)),
  );
}

/** Whether the route sets the authority of the request again where it has given it a value. */
function setsAuthorityAgain({ rewrite, headers }: HTTPRoute): boolean {
  const { set = {}, add = {} } = headers?.request ?? {};
  const values = [rewrite?.authority ?? '', ...[set, add].flatMap(valuesOfAuthority)];
  return values.slice(0, -1).some((value) => value !== '');
}

function valuesOfAuthority(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) => (isAuthority(name) ? [value] : []));
}
