/** What the name of a sidecar's outbound route configuration says. */
interface RouteName {
  /** The port that clients address; 0 for HTTP proxies and Unix sockets. */
  readonly port: number;
  /**
   * The host in names of the form `host:port`: of listeners that bind to one service's address and find out by looking
   * whether they carry HTTP.
   */
  readonly host?: string;
}

/** The configuration for listeners that take requests for any host and port. */
const HTTP_PROXY_ROUTE = 'http_proxy';
const UNIX_SCHEME = 'unix://';

/** Undefined for names that mean nothing to sidecars. */
export function parseRouteName(name: string): RouteName | undefined {
  if (name === HTTP_PROXY_ROUTE || name.startsWith(UNIX_SCHEME)) return { port: 0 };
  const colon = name.indexOf(':');
  const digits = name.slice(colon + 1);
  if (!/^\d+$/.test(digits)) return undefined;
  return { port: Number(digits), ...(colon < 0 ? {} : { host: name.slice(0, colon) }) };
}
