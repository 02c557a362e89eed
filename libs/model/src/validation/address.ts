import { isIP } from 'node:net';
import { type Problem, quote } from './issues.ts';

export const UNIX_PREFIX = 'unix://';

/** An IPv4 or IPv6 address; IPv6 may have a zone. */
export function isIpAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.endsWith('%');
}

export function ipAddressProblem(text: string): Problem {
  return isIpAddress(text) ? undefined : `${quote(text)} is not an IP address`;
}

/** An IP address or a range in CIDR notation. */
export function subnetProblem(text: string): Problem {
  const slash = text.indexOf('/');
  if (slash < 0) return ipAddressProblem(text);
  const version = isIP(text.slice(0, slash));
  const bits = text.slice(slash + 1);
  const fine =
    version !== 0 &&
    !text.includes('%') &&
    /^(0|[1-9]\d{0,2})$/.test(bits) &&
    Number(bits) <= (version === 4 ? 32 : 128);
  return fine ? undefined : `${quote(text)} is not an IP range such as "10.0.0.0/8"`;
}

/** The address of a Unix domain socket, after {@link UNIX_PREFIX}: an absolute file path, or an abstract name with `@`. */
export function unixSocketProblem(path: string): Problem {
  if (path.startsWith('@') || (path.startsWith('/') && !path.endsWith('/'))) return undefined;
  return `${quote(UNIX_PREFIX + path)} must name a socket by the absolute path of a file, or by "@" and an abstract name`;
}

/** Host and port of `host:port` or `[ipv6]:port`; the host may be empty. */
export function splitHostPort(text: string): { readonly host: string; readonly port: string } | undefined {
  const match = /^(?:\[([^[\]]*)\]|([^:[\]]*)):([^:[\]]*)$/.exec(text);
  return match ? { host: match[1] ?? match[2] ?? '', port: match[3] ?? '' } : undefined;
}
