import { isIP } from 'node:net';

/** Checks of validate.StringRules that need no parameter, by JSON name. */
export const FORMATS: Readonly<Record<string, { readonly what: string; readonly test: (text: string) => boolean }>> = {
  ip: { what: 'an IP address', test: (text) => isIP(text) !== 0 },
  ipv4: { what: 'an IPv4 address', test: (text) => isIP(text) === 4 },
  ipv6: { what: 'an IPv6 address', test: (text) => isIP(text) === 6 },
  hostname: { what: 'a host name', test: isHostname },
  address: { what: 'a host name or an IP address', test: (text) => isIP(text) !== 0 || isHostname(text) },
  email: { what: 'an e-mail address', test: isEmail },
  uri: { what: 'an absolute URI', test: (text) => URL.canParse(text) },
  uriRef: { what: 'a URI reference', test: (text) => URL.canParse(text, 'http://base.invalid/') },
  uuid: {
    what: 'a UUID',
    test: (text) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text),
  },
};

/** RFC 1034: labels of letters, digits and hyphens, at most 63 characters each and 253 in all. */
function isHostname(text: string): boolean {
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  return name.length <= 253 && name.split('.').every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(label));
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  return at > 0 && at <= 64 && text.length <= 254 && !/\s/.test(text) && isHostname(text.slice(at + 1));
}

/** What HTTP allows in a header's name or value (RFC 9110), and what is merely harmless to the framing. */
export function headerPattern(regex: string, strict: boolean): RegExp {
  if (!strict) return /^[^\0\n\r]*$/;
  // eslint-disable-next-line no-control-regex -- control characters are what is excluded
  return regex === 'HTTP_HEADER_NAME' ? /^:?[0-9a-zA-Z!#$%&'*+\-.^_|~`]+$/ : /^[^\x00-\x08\x0a-\x1f\x7f]*$/;
}
