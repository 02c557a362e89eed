import type { Domains } from './virtual-host-domains.ts';

/** The names and domains that virtual hosts of a route configuration have taken: Envoy refuses duplicates. */
export class ClaimedDomains {
  readonly #names = new Set<string>();
  readonly #domains: Set<string>;
  readonly #proper: ReadonlySet<string>;

  /**
   * `proper` are the hosts that services have as names of their own: nobody else's shorthand may take one. `reserved` are
   * domains that nobody may take.
   */
  constructor(proper: ReadonlySet<string>, reserved: readonly string[]) {
    this.#proper = proper;
    this.#domains = new Set(reserved);
  }

  /** Whether the name was still free. */
  claimName(name: string): boolean {
    if (this.#names.has(name)) return false;
    this.#names.add(name);
    return true;
  }

  /** Those of the domains that were still free; the identical list where all were. */
  claim({ domains, shorthand }: Domains): readonly string[] {
    const free = domains.filter((domain) => {
      const key = domain.toLowerCase();
      if (this.#domains.has(key) || (shorthand.has(domain) && this.#proper.has(domain))) return false;
      this.#domains.add(key);
      return true;
    });
    return free.length === domains.length ? domains : free;
  }
}
