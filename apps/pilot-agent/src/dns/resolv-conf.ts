import { isIP } from 'node:net';

/** What the host's resolver is configured with. */
export interface ResolverConfig {
  /** Addresses of name servers. */
  readonly servers: readonly string[];
  /** Search domains, in lower case without dots at their ends. */
  readonly search: readonly string[];
}

/** Reads a `resolv.conf`(5). Of `search` and `domain` the last one counts. */
export function parseResolvConf(text: string): ResolverConfig {
  const servers: string[] = [];
  let search: readonly string[] = [];
  for (const line of text.split('\n')) {
    const [keyword, ...values] = line
      .replace(/[#;].*$/, '')
      .trim()
      .split(/\s+/);
    const [first = ''] = values;
    if (keyword === 'nameserver' && isIP(first) !== 0) servers.push(first);
    else if (keyword === 'search') search = values.map(domainName);
    else if (keyword === 'domain' && first) search = [domainName(first)];
  }
  return { servers, search: search.filter(Boolean) };
}

const domainName = (text: string): string => text.toLowerCase().replace(/^\.+|\.+$/g, '');
