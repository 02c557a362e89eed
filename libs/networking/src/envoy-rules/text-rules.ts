import type { FurtherRules, JsonValue } from '@kedge/envoy-api';
import { proxyRegexProblem, regexRewriteProblem } from '@kedge/model';
import type { Finding } from '../guard.ts';
import { finding } from './finding.ts';
import { expressionProblem } from './expression-problem.ts';
import { formatProblem } from './format-problem.ts';
import { keySetProblem } from './key-set-problem.ts';
import { luaProblem } from './lua-problem.ts';
import { templateProblem } from './template-problem.ts';

/** Regular expressions, formats, templates, expressions of CEL, scripts, sets of keys. */
export const textRules: FurtherRules = {
  'envoy.type.matcher.v3.RegexMatcher': ({ regex = '' }) => told('regex', proxyRegexProblem(regex)),
  'envoy.type.matcher.v3.RegexMatchAndSubstitute': ({ pattern, substitution = '' }) =>
    told('substitution', regexRewriteProblem(pattern?.regex ?? '', substitution)),
  'envoy.config.core.v3.HeaderValueOption': ({ header: { key = '', value = '' } = {} }) =>
    told('header', formatProblem(value), `${key}: `),
  'envoy.config.core.v3.SubstitutionFormatString': ({ textFormat, textFormatSource, jsonFormat, formatters = [] }) => [
    ...formats('textFormat', textFormat, formatters),
    ...formats('textFormatSource', textFormatSource?.inlineString, formatters),
    ...formats('jsonFormat', jsonFormat, formatters),
  ],
  'envoy.extensions.access_loggers.open_telemetry.v3.OpenTelemetryAccessLogConfig': (log) => [
    ...formats('body', log.body?.stringValue, log.formatters ?? []),
    ...formats(
      'attributes',
      log.attributes?.values?.map(({ value }) => value?.stringValue ?? ''),
      log.formatters ?? [],
    ),
  ],
  // Where authorization asks for one that is none, Envoy ends.
  'envoy.extensions.path.match.uri_template.v3.UriTemplateMatchConfig': ({ pathTemplate = '' }) =>
    told('pathTemplate', templateProblem(pathTemplate)),
  'envoy.extensions.filters.http.lua.v3.Lua': ({ inlineCode = '', defaultSourceCode, sourceCodes = {} }) => [
    ...told('inlineCode', luaProblem(inlineCode)),
    ...told('defaultSourceCode', luaProblem(defaultSourceCode?.inlineString ?? '')),
    ...Object.values(sourceCodes).flatMap(({ inlineString = '' }) => told('sourceCodes', luaProblem(inlineString))),
  ],
  'envoy.extensions.filters.http.lua.v3.LuaPerRoute': ({ sourceCode }) =>
    told('sourceCode', luaProblem(sourceCode?.inlineString ?? '')),
  'envoy.type.tracing.v3.CustomTag': ({ value }) => formats('value', value, []),
  'envoy.extensions.access_loggers.filters.cel.v3.ExpressionFilter': ({ expression = '' }) =>
    told('expression', expressionProblem(expression)),
  'envoy.extensions.filters.http.jwt_authn.v3.JwtProvider': ({ localJwks: { inlineString: keys = '' } = {} }) =>
    told('localJwks', keys === '' ? undefined : keySetProblem(keys)),
  'envoy.extensions.filters.http.jwt_authn.v3.JwtClaimToHeader': ({ claimName = '' }) =>
    finding(claimName === '', 'claimName', 'must be set'),
};

const told = (path: string, problem: string | undefined, before = ''): readonly Finding[] =>
  finding(problem !== undefined, path, `${before}${problem}`);

const formats = (path: string, value: JsonValue | undefined, formatters: readonly unknown[]): readonly Finding[] =>
  textsOf(value).flatMap((format) => told(path, formatProblem(format, formatters.length > 0)));

function textsOf(value: JsonValue | undefined): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values<JsonValue>(value).flatMap(textsOf) : [];
}
