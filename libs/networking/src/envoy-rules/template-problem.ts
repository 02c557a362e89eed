const LITERAL = /^[\w\-.~%!$&'()+,;:@=*]+$/;
const VARIABLE = /\{([^{}=]*)(?:=[^{}]*)?\}/g;
const NAME = /^[A-Za-z]\w{0,15}$/;
const MOST_VARIABLES = 5;

/**
 * What Envoy has against a template for paths, in which `*` stands for a segment, `**` for any number, and `{name}` for one
 * that is remembered: https://www.envoyproxy.io/docs/envoy/latest/api-v3/extensions/path/match/uri_template/v3/uri_template_match.proto
 */
export function templateProblem(template: string): string | undefined {
  if (!template.startsWith('/')) return 'must begin with "/"';
  const segments = template.slice(1).split('/');
  const afterAny = segments.slice(segments.indexOf('**') + 1);
  if (segments.includes('**') && afterAny.some((segment) => /^\*\*?$/.test(segment))) return '"**" must come last';
  const names = [...template.matchAll(VARIABLE)].map(([, name = '']) => name);
  if (names.length > MOST_VARIABLES) return `has more than ${MOST_VARIABLES} variables`;
  if (new Set(names).size < names.length) return 'has a variable twice';
  const bad =
    names.find((name) => !NAME.test(name)) ??
    segments.find((segment, at) => !isSegment(segment, at === segments.length - 1));
  return bad === undefined ? undefined : `has no place for "${bad}"`;
}

function isSegment(segment: string, isLast: boolean): boolean {
  const literal = segment.replaceAll(VARIABLE, '');
  return literal === '' ? segment !== '' || isLast : LITERAL.test(literal);
}
