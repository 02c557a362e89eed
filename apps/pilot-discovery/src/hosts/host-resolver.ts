import type { HostAnswer, LookupHost } from './lookup.ts';

/** Answers hold at least this long, lest short lifetimes make a push every second, and at most an hour. */
const MIN_TTL_MS = 30_000;
const MAX_TTL_MS = 3_600_000;

export interface HostResolverOptions {
  readonly lookup: LookupHost;
  /** Told when the addresses of a host are others than before; undefined when nobody follows the host any more. */
  readonly changed: (host: string, addresses: readonly string[] | undefined) => void;
  /** Told when servers failed, with their error, or said that there are no addresses. */
  readonly unresolved: (host: string, error?: unknown) => void;
}

interface Followed {
  readonly timer?: NodeJS.Timeout;
  readonly addresses: readonly string[];
}

/**
 * Keeps the addresses of hosts as their name servers have them, asking again when an answer's lifetime is over. While servers
 * fail, the last answer goes on being used.
 */
export class HostResolver implements Disposable {
  readonly #options: HostResolverOptions;
  readonly #followed = new Map<string, Followed>();
  readonly #pending = new Map<string, Promise<void>>();

  constructor(options: HostResolverOptions) {
    this.#options = options;
  }

  /** From now on these hosts are followed, and no others. */
  follow(hosts: readonly string[]): void {
    const wanted = new Set(hosts);
    for (const [host, { timer }] of this.#followed) {
      if (wanted.has(host)) continue;
      clearTimeout(timer);
      this.#followed.delete(host);
      this.#options.changed(host, undefined);
    }
    for (const host of wanted) {
      if (this.#followed.has(host)) continue;
      this.#followed.set(host, { addresses: [] });
      this.#ask(host);
    }
  }

  /** When every host that is followed now has been asked for. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending.values());
  }

  [Symbol.dispose](): void {
    for (const { timer } of this.#followed.values()) clearTimeout(timer);
    this.#followed.clear();
  }

  #ask(host: string): void {
    const asked = this.#followed.get(host);
    if (!asked) return;
    const asking = this.#options
      .lookup(host)
      .catch((error: unknown): HostAnswer => {
        if (this.#followed.get(host) === asked) this.#options.unresolved(host, error);
        return { addresses: asked.addresses, ttlMs: MIN_TTL_MS };
      })
      .then(({ addresses, ttlMs }) => {
        // Meanwhile the host may have been left and followed anew; that has its own question.
        if (this.#followed.get(host) !== asked) return;
        this.#pending.delete(host);
        const timer = setTimeout(() => this.#ask(host), Math.min(Math.max(ttlMs, MIN_TTL_MS), MAX_TTL_MS)).unref();
        this.#followed.set(host, { timer, addresses });
        if (addresses.length === 0) this.#options.unresolved(host);
        if (addresses.join() !== asked.addresses.join()) this.#options.changed(host, addresses);
      });
    this.#pending.set(host, asking);
  }
}
