import type { FetchOptions, FetchText } from './fetch-text.ts';

/** What an OpenID Connect issuer says of itself (OpenID Connect Discovery 1.0, 4). */
export interface OpenIdProvider {
  readonly issuer: unknown;
  readonly jwksUri: string;
}

/** Where an issuer says that. */
export const openIdConfigurationUrl = (issuer: string): string =>
  `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;

/** Rejects where there is no such document, or it doesn't say where the keys are. */
export async function fetchOpenIdProvider(
  url: string,
  fetchText: FetchText,
  options?: FetchOptions,
): Promise<OpenIdProvider> {
  const text = await fetchText(url, options);
  const { issuer, jwks_uri: jwksUri } = membersOf(text);
  if (typeof jwksUri !== 'string') throw new Error('the issuer names no keys');
  return { issuer, jwksUri };
}

function membersOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text)) as Readonly<Record<string, unknown>>;
  } catch {
    throw new Error('the configuration of the issuer is not JSON');
  }
}
