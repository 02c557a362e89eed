import type { FetchOptions, FetchText } from './fetch-text.ts';
import { checkJwks } from './jwks.ts';
import { fetchOpenIdProvider } from './open-id-provider.ts';

/** Where a set of keys is. */
export interface KeySetPlace {
  readonly url: string;
  /** Whether the URL is that of an issuer's configuration, which says where its keys are. */
  readonly isConfiguration: boolean;
}

/** Fetches a set of keys, as text: nothing else, since proxies tell what they are given. */
export async function fetchKeySet(
  { url, isConfiguration }: KeySetPlace,
  fetchText: FetchText,
  options?: FetchOptions,
): Promise<string> {
  const keysUrl = isConfiguration ? (await fetchOpenIdProvider(url, fetchText, options)).jwksUri : url;
  const text = await fetchText(keysUrl, options);
  checkJwks(text);
  return text;
}
