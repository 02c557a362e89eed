import type { HeaderMatcher, MetadataMatcher, QueryParameterMatcher, RouteMatch } from '@kedge/envoy-api';
import type { HTTPMatchRequest, StringMatch } from '@kedge/model';
import { compareText, type RouteSemantics } from '@kedge/pushcontext';
import { claimMatcher, claimPath } from './jwt-claim-match.ts';
import { asksForPresence, stringMatcher } from './string-matcher.ts';

const EVERYTHING: RouteMatch = { prefix: '/' };

/** Headers of HTTP/2 that a match has fields of its own for, in the order in which they are tested. */
const PSEUDO_HEADERS = [
  ['method', ':method'],
  ['authority', ':authority'],
  ['scheme', ':scheme'],
] as const;

/** What requests a match lets through; all of them where there is no match. */
export function routeMatch(match: HTTPMatchRequest | undefined, semantics: RouteSemantics): RouteMatch {
  if (!match) return EVERYTHING;
  const wanted = entries(match.headers, false);
  const unwanted = entries(match.withoutHeaders, true);
  const tests = [...wanted, ...unwanted].sort((a, b) => compareText(a.name, b.name));
  const headers = [
    ...tests.filter(({ claim }) => !claim).map(({ name, value, invert }) => headerMatcher(name, value, invert)),
    ...PSEUDO_HEADERS.flatMap(([field, name]) => (match[field] ? [headerMatcher(name, match[field], false)] : [])),
  ];
  const claims = tests.flatMap(({ claim, value, invert }): readonly MetadataMatcher[] =>
    claim ? [claimMatcher(claim, value, invert)] : [],
  );
  const queryParameters = Object.entries(match.queryParams)
    .sort(([a], [b]) => compareText(a, b))
    .map(([name, value]) => queryParameterMatcher(name, value));
  return {
    ...pathMatch(match.uri, semantics),
    caseSensitive: !match.ignoreUriCase,
    ...(headers.length > 0 ? { headers } : {}),
    ...(queryParameters.length > 0 ? { queryParameters } : {}),
    ...(claims.length > 0 ? { dynamicMetadata: claims } : {}),
  };
}

/** Whether no request gets past the match. */
export function matchesAll({ prefix, pathSeparatedPrefix, safeRegex, ...rest }: RouteMatch): boolean {
  const anyPath = prefix === '/' || pathSeparatedPrefix === '/' || safeRegex?.regex === '.*';
  return anyPath && !rest.headers?.length && !rest.queryParameters?.length && !rest.dynamicMetadata?.length;
}

interface HeaderTest {
  readonly name: string;
  readonly value: StringMatch;
  readonly invert: boolean;
  readonly claim: readonly string[] | undefined;
}

function entries(headers: Readonly<Record<string, StringMatch>>, invert: boolean): readonly HeaderTest[] {
  return Object.entries(headers).map(([name, value]) => ({ name, value, invert, claim: claimPath(name) }));
}

function headerMatcher(name: string, match: StringMatch, invert: boolean): HeaderMatcher {
  if (asksForPresence(match)) return { name, presentMatch: true, ...(invert ? { invertMatch: true } : {}) };
  const matcher: HeaderMatcher = { name, stringMatch: stringMatcher(match) };
  return invert ? { ...matcher, invertMatch: true, treatMissingHeaderAsEmpty: true } : matcher;
}

function queryParameterMatcher(name: string, match: StringMatch): QueryParameterMatcher {
  return asksForPresence(match) ? { name, presentMatch: true } : { name, stringMatch: stringMatcher(match) };
}

function pathMatch(uri: StringMatch | undefined, semantics: RouteSemantics): RouteMatch {
  if (uri?.exact !== undefined) return { path: uri.exact };
  if (uri?.regex !== undefined) return { safeRegex: { regex: uri.regex } };
  if (uri?.prefix === undefined) return EVERYTHING;
  // Ingress and Gateway API mean whole path segments.
  const bySegment = semantics !== 'istio' && uri.prefix !== '/';
  return bySegment ? { pathSeparatedPrefix: uri.prefix.replace(/\/$/, '') } : { prefix: uri.prefix };
}
