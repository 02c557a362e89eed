import { regexProblem, type HTTPMatchRequest, type HTTPRoute, type StringMatch } from '@kedge/model';

/** A regular expression that Envoy would refuse, and the field that holds it, from the route on. */
export interface RegexFinding {
  readonly field: string;
  readonly problem: string;
}

const MATCH_TEXTS = ['uri', 'scheme', 'method', 'authority'] as const;
const MATCH_MAPS = ['headers', 'withoutHeaders', 'queryParams'] as const;

/** The first unusable expression of a match. `*` among headers and parameters is none, but asks for presence. */
export function badMatchRegex(match: HTTPMatchRequest): RegexFinding | undefined {
  return firstBad([
    ...MATCH_TEXTS.map((field) => [field, match[field]] as const),
    ...MATCH_MAPS.flatMap((field) =>
      Object.entries(match[field])
        .filter(([, { regex }]) => regex !== '*')
        .map(([name, value]) => [`${field}[${name}]`, value] as const),
    ),
  ]);
}

/** The first unusable expression outside of a route's matches. */
export function badActionRegex({ corsPolicy, rewrite }: HTTPRoute): RegexFinding | undefined {
  return firstBad([
    ...(corsPolicy?.allowOrigins ?? []).map((value, at) => [`corsPolicy.allowOrigins[${at}]`, value] as const),
    ['rewrite.uriRegexRewrite.match', { regex: rewrite?.uriRegexRewrite?.match }] as const,
  ]);
}

function firstBad(
  places: readonly (readonly [field: string, match: StringMatch | undefined])[],
): RegexFinding | undefined {
  for (const [field, match] of places) {
    const problem = match?.regex === undefined ? undefined : regexProblem(match.regex);
    if (problem !== undefined) return { field, problem };
  }
  return undefined;
}
