import { source } from '@kedge/incremental';
import type { JWTRule } from '@kedge/model';

/**
 * Key sets (RFC 7517) that were fetched, as text, by the place they came from: see {@link keySetPlace}. Fetching is done
 * outside; a place that isn't there was not fetched, or not with success.
 */
export const keySetsSource = source<string>('KeySets');

/**
 * Where the keys of a rule are to be fetched from: the URI that it names, else the document in which OpenID providers name
 * theirs. https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig
 */
export function keySetPlace({ jwksUri = '', issuer = '' }: Pick<JWTRule, 'jwksUri' | 'issuer'>): string {
  return jwksUri || `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
}
