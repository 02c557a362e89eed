import { Resolver } from 'node:dns/promises';

/** What name servers say about a host: its addresses, and for how many milliseconds that holds. */
export interface HostAnswer {
  readonly addresses: readonly string[];
  readonly ttlMs: number;
}

/** Asks for the addresses of a host. Rejects where no server could say anything, not even that there are none. */
export type LookupHost = (host: string) => Promise<HostAnswer>;

/** Name servers may be slow; whoever waits for them keeps what it had. */
const TIMEOUT_MS = 5_000;
/** What is said of hosts without addresses, for the answer's own lifetime isn't told. */
const NOTHING_TTL_MS = 30_000;

/** Codes by which servers say that there are no such addresses, rather than that they failed. */
const NOTHING = new Set(['ENODATA', 'ENOTFOUND']);

/** Asks the servers of the machine for A and AAAA records. One failure of the two leaves what the other brought. */
export function systemLookup(servers?: readonly string[]): LookupHost {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 2 });
  if (servers) resolver.setServers(servers);
  return async (host) => {
    const answers = await Promise.allSettled([
      resolver.resolve4(host, { ttl: true }),
      resolver.resolve6(host, { ttl: true }),
    ]);
    const errors = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []));
    const failures = errors.filter((error) => !NOTHING.has(codeOf(error)));
    if (failures.length === answers.length) throw failures[0];
    const records = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    return {
      addresses: records.map(({ address }) => address).sort(),
      ttlMs: records.length > 0 ? Math.min(...records.map(({ ttl }) => ttl)) * 1000 : NOTHING_TTL_MS,
    };
  };
}

const codeOf = (error: unknown): string => String((error as { readonly code?: unknown } | undefined)?.code ?? '');
