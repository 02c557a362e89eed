import type { HeaderValueOption, Route } from '@kedge/envoy-api';
import type { Finding } from '../guard.ts';

/** As long as the body of a direct response may be. Envoy's own limit is 4 KiB. */
export const MAX_DIRECT_RESPONSE_BYTES = 1024 * 1024;
const MAX_TOTAL_WEIGHT = 0xffff_ffff;

/**
 * A command of Envoy's in a header value, or an escaped `%`:
 * https://www.envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage#format-strings
 */
const COMMAND = /%(?:%|[A-Z0-9_]+(?:\(.*?\))?(?::\d+)?%)/gs;

/** What Envoy refuses in a route besides what the validation rules of its API state. */
export function unstatedProblems({ route, directResponse, ...rest }: Route): readonly Finding[] {
  const clusters = route?.weightedClusters?.clusters ?? [];
  const headers = [rest, ...clusters].flatMap(({ requestHeadersToAdd = [], responseHeadersToAdd = [] }) => [
    ...requestHeadersToAdd,
    ...responseHeadersToAdd,
  ]);
  const weight = clusters.reduce((sum, cluster) => sum + (cluster.weight ?? 0), 0);
  return [
    ...headers.flatMap(badFormat),
    ...finding(bodyBytes(directResponse?.body) > MAX_DIRECT_RESPONSE_BYTES, 'directResponse.body', 'is too long'),
    ...finding(isNegative(route?.timeout), 'route.timeout', 'is negative'),
    ...finding(isNegative(route?.retryPolicy?.perTryTimeout), 'route.retryPolicy.perTryTimeout', 'is negative'),
    ...finding(weight > MAX_TOTAL_WEIGHT, 'route.weightedClusters', 'the weights are too large together'),
  ];
}

const finding = (isBad: boolean, path: string, message: string): readonly Finding[] =>
  isBad ? [{ path, message }] : [];

const isNegative = (duration: string | undefined): boolean => duration?.startsWith('-') === true;

function badFormat({ header }: HeaderValueOption): readonly Finding[] {
  const rest = header?.value?.replaceAll(COMMAND, '') ?? '';
  return finding(rest.includes('%'), `header ${header?.key}`, 'a "%" that begins no command is written "%%"');
}

function bodyBytes(body: NonNullable<Route['directResponse']>['body'] = {}): number {
  return Buffer.byteLength(body.inlineString ?? '') + Buffer.byteLength(body.inlineBytes ?? '', 'base64');
}
