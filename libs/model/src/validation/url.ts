/** The parts of a URL that rules look at. */
export interface UrlParts {
  /** In lower case; empty for a path. */
  readonly scheme: string;
  readonly host: string;
  readonly port: string;
}

const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/;
const USER_INFO = /^[\w\-.:~!$&'()*+,;=%@]*$/;
const HOST = /^(\[[^[\]]*\]|[^\s#%/\\^`{|}]*?)(?::(\d*))?$/;

/**
 * The parts of an absolute URL (RFC 3986, without fragment) or an absolute path; undefined where it is neither. Opaque
 * URLs (`mailto:x`) have only a scheme.
 */
export function parseUrl(text: string): UrlParts | undefined {
  // eslint-disable-next-line no-control-regex -- these are what must not be there
  if (text === '' || /[\u0000-\u001f\u007f]/.test(text)) return undefined;
  const scheme = SCHEME.exec(text)?.[1] ?? '';
  const rest = (scheme ? text.slice(scheme.length + 1) : text).replace(/\?.*$/s, '');
  const parts = { scheme: scheme.toLowerCase(), host: '', port: '' };
  if (!rest.startsWith('/')) return scheme ? parts : undefined;
  if (!scheme || !rest.startsWith('//')) return hasValidEscapes(rest) ? parts : undefined;

  const [, authority = '', path = ''] = /^\/\/([^/]*)(.*)$/s.exec(rest) ?? [];
  const at = authority.lastIndexOf('@');
  const [, host, port] = HOST.exec(authority.slice(at + 1)) ?? [];
  if (host === undefined || (port === undefined && /^[^[]*:/.test(host))) return undefined;
  if (!USER_INFO.test(authority.slice(0, Math.max(at, 0))) || !hasValidEscapes(path)) return undefined;
  return { ...parts, host, port: port ?? '' };
}

function hasValidEscapes(text: string): boolean {
  return !/%(?![0-9A-Fa-f]{2})/.test(text);
}
