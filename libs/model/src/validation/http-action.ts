import type {
  CorsPolicy,
  HTTPDirectResponse,
  HTTPMirrorPolicy,
  HTTPRedirect,
  HTTPRetry,
  HTTPRewrite,
} from '../kinds/http-action.ts';
import type { HTTPMatchRequest } from '../kinds/virtual-service.ts';
import { validateDestination } from './destination.ts';
import { corsHeaderNameProblem } from './http-header.ts';
import { isKnownHttpStatus, responseStatusProblem } from './http-status.ts';
import { type Issues, quote } from './issues.ts';
import { durationProblem, isWhole, percentProblem } from './numbers.ts';
import { portProblem } from './port.ts';
import { boundedRegexProblem } from './regex.ts';
import { validateRegexMatch } from './string-match.ts';

/** A redirect of the requests that the matches pick. */
export function validateRedirect(issues: Issues, redirect: HTTPRedirect, matches: readonly HTTPMatchRequest[]): void {
  const { uri = '', prefixRewrite = '', authority = '', scheme = '', redirectCode = 0, port, derivePort } = redirect;
  issues.errorIf(
    uri !== '' && prefixRewrite !== '',
    'conflicting-fields',
    'at most one of uri and prefixRewrite may be set',
  );
  issues
    .at('prefixRewrite')
    .errorIf(
      prefixRewrite !== '' && matches.some((match) => match.uri !== undefined && match.uri.prefix === undefined),
      'conflicting-fields',
      'needs matches by uri.prefix, because it replaces that prefix',
    );
  issues.errorIf(
    uri + prefixRewrite + authority + scheme === '' && port === undefined && derivePort === undefined,
    'empty',
    'needs uri, prefixRewrite, authority, scheme, port or derivePort',
  );
  issues
    .at('redirectCode')
    .errorIf(
      redirectCode !== 0 && (redirectCode < 300 || redirectCode > 399),
      'out-of-range',
      `${redirectCode} is no 3xx code`,
    );
  issues.at('scheme').errorIf(!['', 'http', 'https'].includes(scheme), 'invalid-scheme', 'must be http or https');
  if (port !== undefined && port > 0) issues.at('port').check('invalid-port', portProblem(port));
}

export function validateRewrite(issues: Issues, { uri = '', authority = '', uriRegexRewrite }: HTTPRewrite): void {
  issues.errorIf(uri !== '' && uriRegexRewrite !== undefined, 'conflicting-fields', 'at most one of uri and uriRegexRewrite may be set'); // prettier-ignore
  issues.errorIf(
    uri === '' && authority === '' && !uriRegexRewrite,
    'empty',
    'needs uri, uriRegexRewrite or authority',
  );
  issues.field('uriRegexRewrite', uriRegexRewrite, (at, { match = '', rewrite = '' }) => {
    if (match === '' || rewrite === '') at.error('required', 'needs both match and rewrite');
    else at.at('match').check('invalid-regex', boundedRegexProblem(match));
  });
}

const KILOBYTE = 1024;

export function validateDirectResponse(issues: Issues, { status, body }: HTTPDirectResponse): void {
  const { string, bytes } = body ?? {};
  const size = string !== undefined ? Buffer.byteLength(string) : Buffer.byteLength(bytes ?? '', 'base64');
  const at = issues.at('body');
  if (size > KILOBYTE * KILOBYTE) at.error('too-large', 'must be at most 1 MB; serve large content from a service');
  else at.warnIf(size > 100 * KILOBYTE, 'too-large', 'is larger than 100 KB, which every proxy keeps in memory');
  issues.at('status').check('out-of-range', responseStatusProblem(status));
}

/** Conditions of Envoy's `x-envoy-retry-on` and `x-envoy-retry-grpc-on`. */
const RETRY_CONDITIONS: ReadonlySet<string> = new Set([
  '5xx',
  'gateway-error',
  'reset',
  'reset-before-request',
  'connect-failure',
  'retriable-4xx',
  'refused-stream',
  'retriable-status-codes',
  'retriable-headers',
  'envoy-ratelimited',
  'http3-post-connect-failure',
  'cancelled',
  'deadline-exceeded',
  'internal',
  'resource-exhausted',
  'unavailable',
]);

export function validateRetry(issues: Issues, retry: HTTPRetry): void {
  const { attempts = 0, perTryTimeout, retryOn = '', retryRemoteLocalities } = retry;
  issues.at('attempts').errorIf(attempts < 0, 'out-of-range', `${attempts} must not be negative`);
  issues.errorIf(
    attempts === 0 && (perTryTimeout !== undefined || retryOn !== '' || retryRemoteLocalities !== undefined),
    'ineffective-field',
    'the other fields have no effect where attempts is 0, which switches retries off',
  );
  issues.checkFields(retry, ['perTryTimeout', 'backoff'], 'invalid-duration', durationProblem);
  for (const condition of retryOn === '' ? [] : retryOn.split(',')) {
    const known = RETRY_CONDITIONS.has(condition) || isKnownHttpStatus(condition);
    issues.at('retryOn').errorIf(!known, 'unknown-retry-condition', `${quote(condition)} is neither a condition for retries nor an HTTP status`); // prettier-ignore
  }
}

const CORS_METHODS: ReadonlySet<string> = new Set(
  ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', '*'], // prettier-ignore
);

export function validateCors(issues: Issues, cors: CorsPolicy): void {
  issues.each('allowOrigins', cors.allowOrigins, (at, origin) => {
    const text = origin.exact ?? origin.prefix ?? origin.regex ?? '';
    if (text === '') at.error('empty-match', 'needs a non-empty exact, prefix or regex');
    else validateRegexMatch(at, origin);
  });
  issues.each('allowMethods', cors.allowMethods, (at, method) =>
    at.errorIf(
      !CORS_METHODS.has(method),
      'unknown-method',
      `${quote(method)} is none of ${[...CORS_METHODS].join(', ')}`,
    ),
  );
  for (const field of ['allowHeaders', 'exposeHeaders'] as const) {
    issues.each(field, cors[field], (at, name) => at.check('invalid-header-name', corsHeaderNameProblem(name)));
  }
  issues.field('maxAge', cors.maxAge, (at, age) => {
    at.check(
      'invalid-duration',
      durationProblem(age) ?? (isWhole(age, 1000) ? undefined : 'must be a whole number of seconds'),
    );
  });
}

export function validateMirror(issues: Issues, { destination, percentage }: HTTPMirrorPolicy): void {
  if (destination === undefined) {
    issues.error('required', 'needs a destination');
    return;
  }
  validateDestination(issues.at('destination'), destination);
  issues.field('percentage', percentage, (at, { value = 0 }) => at.check('out-of-range', percentProblem(value)));
}
