const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** The server that a key set is fetched from. */
export interface JwksServer {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
}

/** Takes the URI of a key set apart; undefined for what is no URL of HTTP. */
export function parseJwksUri(uri: string): JwksServer | undefined {
  const url = URL.parse(uri);
  if (!url) return undefined;
  const fallback = DEFAULT_PORTS[url.protocol];
  if (fallback === undefined) return undefined;
  return {
    scheme: url.protocol === 'https:' ? 'https' : 'http',
    host: url.hostname,
    port: url.port === '' ? fallback : Number(url.port),
  };
}
