import type { Messages } from '@kedge/envoy-api';
import type { JWTRule } from '@kedge/model';

export type JwtAuthentication = Messages['envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication'];
export type JwtProvider = Messages['envoy.extensions.filters.http.jwt_authn.v3.JwtProvider'];
type JwtRequirement = Messages['envoy.extensions.filters.http.jwt_authn.v3.JwtRequirement'];

/** Where a provider has its keys from. */
export type Keys = Pick<JwtProvider, 'localJwks' | 'remoteJwks'>;

/**
 * What accepts tokens by these providers. A request without a token passes, one with a token that no provider accepts does
 * not. Of several tokens in different places each must be valid; providers that look at the same place accept what one of
 * them does.
 */
export function jwtAuthentication(list: readonly JwtProvider[]): JwtAuthentication {
  const providers = Object.fromEntries(list.map((provider, at) => [`origins-${at}`, provider]));
  const accepted = Object.keys(providers).map((providerName): JwtRequirement => ({ providerName }));
  const acceptedOrMissing = accepted.map((requirement) => anyOf([requirement, { allowMissing: {} }]));
  const [only] = acceptedOrMissing;
  const requires =
    only && acceptedOrMissing.length === 1
      ? only
      : anyOf([...accepted, { requiresAll: { requirements: acceptedOrMissing } }]);
  return { providers, rules: [{ match: { prefix: '/' }, requires }], bypassCorsPreflight: true };
}

const anyOf = (requirements: readonly JwtRequirement[]): JwtRequirement => ({ requiresAny: { requirements } });

/**
 * What a rule says of its issuer's tokens. Routes may be chosen by claims of a token: `clearRouteCache` says whether they are
 * chosen anew when it was seen.
 */
export function jwtProvider(rule: JWTRule, keys: Keys, clearRouteCache: boolean): JwtProvider {
  const { issuer, audiences, fromHeaders, fromParams, fromCookies, outputClaimToHeaders, outputPayloadToHeader } = rule;
  return {
    ...(issuer ? { issuer } : {}),
    audiences,
    ...keys,
    forward: rule.forwardOriginalToken ?? false,
    fromHeaders: fromHeaders.map(({ name, prefix = '' }) => ({ name, valuePrefix: prefix })),
    fromParams,
    fromCookies,
    ...(outputPayloadToHeader ? { forwardPayloadHeader: outputPayloadToHeader } : {}),
    claimToHeaders: outputClaimToHeaders.map(({ header, claim }) => ({ headerName: header, claimName: claim })),
    payloadInMetadata: 'payload',
    normalizePayloadInMetadata: { spaceDelimitedClaims: spaceDelimitedClaims(rule.spaceDelimitedClaims) },
    clearRouteCache,
  };
}

/** Claims that are lists of words in one text (RFC 8693, 4.2), sorted: some always are. */
export function spaceDelimitedClaims(stated: readonly string[]): readonly string[] {
  return [...new Set([...stated, 'permission', 'scope'])].sort();
}
