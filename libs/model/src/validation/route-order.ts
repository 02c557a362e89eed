import type { StringMatch } from '../kinds/string-match.ts';
import type { HTTPMatchRequest, HTTPRoute } from '../kinds/virtual-service.ts';
import type { Issues } from './issues.ts';

/** A route of any protocol, as far as order is concerned. */
interface Matching {
  readonly match: readonly object[];
}

/** Warns of routes and matches that take no traffic, because earlier ones of the list `name` take all of it. */
export function warnUnreachable(issues: Issues, name: string, routes: readonly Matching[]): void {
  const routeByMatch = new Map<string, number>();
  let catchAll: number | undefined;
  issues.each(name, routes, (at, { match }, i) => {
    if (catchAll !== undefined) {
      at.warn('unreachable-route', `takes no traffic: ${name}[${catchAll}] has no match and takes all`);
    } else if (match.length === 0) {
      catchAll = i;
    } else {
      const repeated = match.filter((one, j) => {
        const key = matchKey(one);
        const earlier = routeByMatch.get(key);
        if (earlier === undefined) routeByMatch.set(key, i);
        else at.at('match', j).warn('ineffective-match', `takes no traffic: ${name}[${earlier}] has the same match`);
        return earlier !== undefined;
      });
      at.warnIf(
        repeated.length === match.length,
        'unreachable-route',
        'takes no traffic: all its matches are in earlier routes',
      );
    }
  });
}

/** One text for equal matches: keys sorted, the name and fields with zero values left out. */
function matchKey(match: object): string {
  const fields = Object.entries(match).filter(
    ([key, value]) => key !== 'name' && value !== false && value !== 0 && value !== '',
  );
  return JSON.stringify(Object.fromEntries(fields), (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

/** What a match by URI prefix asks of a request. */
interface PrefixMatch {
  readonly prefix: string;
  readonly port: number;
  readonly method: string;
  readonly authority: string;
  readonly maps: readonly Readonly<Record<string, string>>[];
}

/** Warns of matches by URI prefix behind one with a shorter prefix that asks for nothing else. */
export function warnHiddenPrefixes(issues: Issues, routes: readonly HTTPRoute[]): void {
  const earlier: { readonly place: string; readonly match: PrefixMatch }[] = [];
  let catchAll = false;
  for (const [i, { match }] of routes.entries()) {
    for (const [j, request] of catchAll ? [] : match.entries()) {
      const prefixMatch = toPrefixMatch(request);
      if (prefixMatch === undefined) continue;
      const hiding = earlier.find((other) => hides(other.match, prefixMatch));
      issues
        .at('http', i, 'match', j)
        .warnIf(
          hiding !== undefined,
          'ineffective-match',
          `takes no traffic: ${hiding?.place} matches a shorter prefix`,
        );
      earlier.push({ place: `http[${i}].match[${j}]`, match: prefixMatch });
    }
    catchAll ||= match.length === 0;
  }
}

function toPrefixMatch(request: HTTPMatchRequest): PrefixMatch | undefined {
  if (!request.uri?.prefix) return undefined;
  return {
    prefix: request.uri.prefix,
    port: request.port ?? 0,
    method: textOf(request.method) || 'exact:GET',
    authority: textOf(request.authority),
    maps: [request.headers, request.queryParams, request.withoutHeaders].map((matches) =>
      Object.fromEntries(Object.entries(matches).map(([name, match]) => [name, textOf(match)])),
    ),
  };
}

/** One text for an exact or prefix match; empty for others. */
function textOf({ exact, prefix }: StringMatch = {}): string {
  return exact ? `exact:${exact}` : prefix ? `prefix:${prefix}` : '';
}

function hides(wide: PrefixMatch, narrow: PrefixMatch): boolean {
  return (
    wide.prefix !== narrow.prefix &&
    narrow.prefix.startsWith(wide.prefix) &&
    wide.port === narrow.port &&
    wide.method.startsWith(narrow.method) &&
    wide.authority.startsWith(narrow.authority) &&
    wide.maps.every((map, i) => hidesMap(map, narrow.maps[i] ?? {}))
  );
}

function hidesMap(wide: Readonly<Record<string, string>>, narrow: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(wide);
  return (
    names.length === Object.keys(narrow).length &&
    names.every((name) => Object.hasOwn(narrow, name) && wide[name]?.startsWith(narrow[name] ?? '') === true)
  );
}
