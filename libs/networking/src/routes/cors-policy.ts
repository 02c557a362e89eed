import type { Messages } from '@kedge/envoy-api';
import type { CorsPolicy } from '@kedge/model';
import { atRuntime, wholePercent } from './fractional-percent.ts';
import { stringMatcher } from './string-matcher.ts';

export const CORS_FILTER = 'envoy.filters.http.cors';

type CorsFilterPolicy = Messages['envoy.extensions.filters.http.cors.v3.CorsPolicy'];

/** Which other origins may ask. A preflight that no rule covers goes to the service, unless the policy keeps it from there. */
export function corsPolicy(policy: CorsPolicy): CorsFilterPolicy {
  const origins =
    policy.allowOrigins.length > 0
      ? policy.allowOrigins.map(stringMatcher).filter((matcher) => matcher !== undefined)
      : policy.allowOrigin.map((exact) => ({ exact }));
  return {
    ...(origins.length > 0 ? { allowOriginStringMatch: origins } : {}),
    ...list('allowMethods', policy.allowMethods),
    ...list('allowHeaders', policy.allowHeaders),
    ...list('exposeHeaders', policy.exposeHeaders),
    ...(policy.maxAge === undefined ? {} : { maxAge: String(Math.trunc(policy.maxAge / 1000)) }),
    ...(policy.allowCredentials === undefined ? {} : { allowCredentials: policy.allowCredentials }),
    filterEnabled: atRuntime(wholePercent(100)),
    forwardNotMatchingPreflights: policy.unmatchedPreflights !== 'IGNORE',
  };
}

function list(field: 'allowMethods' | 'allowHeaders' | 'exposeHeaders', names: readonly string[]): CorsFilterPolicy {
  return names.length > 0 ? { [field]: names.join(',') } : {};
}
