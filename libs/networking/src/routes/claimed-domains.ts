/** A domain, whatever its case: by a number where it is one of those that many plans have in common, else as text. */
export type DomainKey = number | string;

/** Gives domains the keys by which they are claimed. Those that it has numbered cost each plan but a look into an array. */
export class DomainTable {
  readonly #numbers = new Map<string, number>();

  get size(): number {
    return this.#numbers.size;
  }

  /** Numbers the domain if it has no number yet. */
  add(domain: string): DomainKey {
    const text = domain.toLowerCase();
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.#numbers.size);
    return this.#numbers.size - 1;
  }

  keyOf(domain: string): DomainKey {
    const text = domain.toLowerCase();
    return this.#numbers.get(text) ?? text;
  }
}

/** The domains that virtual hosts of a route configuration have taken: Envoy refuses duplicates. */
export class ClaimedDomains {
  readonly #numbered: Uint8Array;
  readonly #others = new Set<string>();

  /** @param reserved a domain that nobody may take. */
  constructor(table: DomainTable, reserved: string) {
    this.#numbered = new Uint8Array(table.size);
    this.#take(table.keyOf(reserved));
  }

  /** Those of the domains that were still free, by their keys; the identical list where all were. */
  claim(domains: readonly string[], keys: readonly DomainKey[]): readonly string[] {
    const free = keys.map((key) => this.#take(key));
    return free.includes(false) ? domains.filter((_, at) => free[at]) : domains;
  }

  #take(key: DomainKey): boolean {
    const isFree = typeof key === 'number' ? this.#numbered[key] === 0 : !this.#others.has(key);
    if (typeof key === 'number') this.#numbered[key] = 1;
    else this.#others.add(key);
    return isFree;
  }
}
