import {
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JWSHeaderParameters,
  type CryptoKey,
  type JSONWebKeySet,
} from 'jose';
import type { FetchText } from './fetch-text.ts';
import { parseJwks } from './jwks.ts';

export interface JwksCacheOptions {
  /** Where the keys are; asked for before each fetch, since discovery may have to find it. */
  readonly url: () => Promise<string>;
  readonly fetchText: FetchText;
  /** Milliseconds after which the keys are fetched anew. */
  readonly refreshInterval?: number;
  /** Milliseconds between fetches that unknown keys or failures cause. */
  readonly cooldown?: number;
  readonly now?: () => number;
}

type KeyFinder = (header: JWSHeaderParameters, token: FlattenedJWSInput) => Promise<CryptoKey>;

/**
 * The keys of an issuer. They are fetched when they are needed, again after a while, and at once where a token names a key
 * that isn't among them: keys rotate. What was fetched last stays in use where a fetch fails.
 */
export class JwksCache {
  readonly #options: JwksCacheOptions;
  readonly #refreshInterval: number;
  readonly #cooldown: number;
  readonly #now: () => number;
  #keys: JSONWebKeySet | undefined;
  #find: KeyFinder | undefined;
  #fetchedAt = -Infinity;
  #triedAt = -Infinity;
  #fetching: Promise<void> | undefined;

  constructor(options: JwksCacheOptions) {
    this.#options = options;
    this.#refreshInterval = options.refreshInterval ?? 20 * 60_000;
    this.#cooldown = options.cooldown ?? 10_000;
    this.#now = options.now ?? Date.now;
  }

  /** The keys in use, if there are some yet. */
  get keys(): JSONWebKeySet | undefined {
    return this.#keys;
  }

  /** The key that verifies a token; for `jwtVerify` of jose. Rejects where there is none. */
  readonly keyOf: KeyFinder = async (header, token) => {
    if (this.#now() - this.#fetchedAt >= this.#refreshInterval) await this.#refresh();
    const found = await this.#lookUp(header, token);
    if (found) return found;
    await this.#refresh();
    const afterRefresh = await this.#lookUp(header, token);
    if (afterRefresh) return afterRefresh;
    throw new Error(this.#find ? 'no key of the issuer matches the token' : "the issuer's keys could not be fetched");
  };

  async #lookUp(header: JWSHeaderParameters, token: FlattenedJWSInput): Promise<CryptoKey | undefined> {
    try {
      return await this.#find?.(header, token);
    } catch (error) {
      // The caller tries one after the other.
      if (error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      return undefined;
    }
  }

  /** Fetches, unless that was tried just now. */
  async #refresh(): Promise<void> {
    if (!this.#fetching && this.#now() - this.#triedAt < this.#cooldown) return;
    this.#fetching ??= this.#fetch().finally(() => (this.#fetching = undefined));
    await this.#fetching;
  }

  async #fetch(): Promise<void> {
    this.#triedAt = this.#now();
    try {
      const keys = parseJwks(await this.#options.fetchText(await this.#options.url()));
      this.#keys = keys;
      this.#find = createLocalJWKSet(keys);
      this.#fetchedAt = this.#now();
    } catch {
      // The last good keys stay; a caller without a key is told.
    }
  }
}
