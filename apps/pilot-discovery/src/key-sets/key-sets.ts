import type { ConfigChange, ConfigSource } from '@kedge/config';
import { DisposableStore, type SnapshotEdit } from '@kedge/incremental';
import { type Config, type ConfigKey, type ConfigOf, configKeyText, type JWTRule } from '@kedge/model';
import { keySetPlace, keySetsSource } from '@kedge/pushcontext';
import type { FetchText } from '@kedge/security';
import { FetchedKeySet, type KeySetFetch } from './fetched-key-set.ts';

/** Milliseconds that a fetch may take where the rule doesn't say. */
const DEFAULT_TIMEOUT = 5000;
/** Milliseconds that others wait for the first fetch. */
const PATIENCE = 10_000;

/** Told which keys are at a place now; undefined where there are none any more. */
export type KeySetListener = (place: string, keys: string | undefined) => void;

export interface KeySetsOptions {
  readonly source: ConfigSource;
  /** Whether the keys of a rule are to be fetched here. */
  readonly concerns: (rule: JWTRule) => boolean;
  /** Milliseconds between fetches of the same keys. */
  readonly refreshInterval: number;
  readonly fetchText: FetchText;
  /** Told of each fetch. */
  readonly observe: (fetch: KeySetFetch) => void;
}

/** Keys that RequestAuthentications name by where they are, for the snapshot: only what reads them is made anew. */
export class KeySets implements Disposable {
  readonly #options: KeySetsOptions;
  readonly #owned = new DisposableStore();
  /** The rules to fetch for, by the key of their object. */
  readonly #rules = new Map<string, readonly JWTRule[]>();
  readonly #sets = new Map<string, FetchedKeySet>();
  readonly #listeners = new Set<KeySetListener>();

  constructor(options: KeySetsOptions) {
    this.#options = options;
    const { source } = options;
    this.#update(source.list().map((object) => ({ key: object, new: object })));
    this.#owned.add(source.subscribe((changes) => this.#update(changes)));
  }

  /** Tells of each change from now on. */
  subscribe(listener: KeySetListener): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** The keys that are there now. */
  write(edit: SnapshotEdit): void {
    for (const [place, { keys }] of this.#sets) edit.set(keySetsSource, place, keys);
  }

  /**
   * Resolves when the keys that an object names have been fetched, or when that failed or takes long; undefined where that
   * is so already. Until then proxies should not see the object: they would refuse tokens that are good.
   */
  tried(key: ConfigKey): Promise<void> | undefined {
    const rules = this.#rules.get(configKeyText(key)) ?? [];
    return patiently(rules.flatMap((rule) => this.#sets.get(keySetPlace(rule)) ?? []));
  }

  /** The same for all objects. */
  allTried(): Promise<void> | undefined {
    return patiently([...this.#sets.values()]);
  }

  [Symbol.dispose](): void {
    this.#owned[Symbol.dispose]();
    for (const set of this.#sets.values()) set[Symbol.dispose]();
  }

  #update(changes: readonly Pick<ConfigChange, 'key' | 'new'>[]): void {
    const concerned = changes.filter(({ key }) => key.kind === 'RequestAuthentication');
    if (concerned.length === 0) return;
    for (const { key, new: object } of concerned) {
      const rules = object ? this.#rulesOf(object) : [];
      if (rules.length > 0) this.#rules.set(configKeyText(key), rules);
      else this.#rules.delete(configKeyText(key));
    }
    const wanted = Map.groupBy([...this.#rules.values()].flat(), keySetPlace);
    for (const [place, rules] of wanted) this.#follow(place, rules);
    for (const [place, set] of this.#sets) {
      if (wanted.has(place)) continue;
      set[Symbol.dispose]();
      this.#sets.delete(place);
      this.#changed(place, undefined);
    }
  }

  #rulesOf(object: Config): readonly JWTRule[] {
    const { spec } = object as ConfigOf<'RequestAuthentication'>;
    return spec.jwtRules.filter((rule) => !rule.jwks && this.#options.concerns(rule));
  }

  #follow(place: string, rules: readonly JWTRule[]): void {
    const timeoutMs = Math.max(...rules.map(({ timeout = DEFAULT_TIMEOUT }) => timeout));
    const known = this.#sets.get(place);
    if (known) {
      known.timeoutMs = timeoutMs;
      return;
    }
    const set = new FetchedKeySet({
      ...this.#options,
      place: { url: place, isConfiguration: rules.every(({ jwksUri }) => !jwksUri) },
      timeoutMs,
      changed: (keys) => this.#changed(place, keys),
    });
    this.#sets.set(place, set);
  }

  #changed(place: string, keys: string | undefined): void {
    for (const listener of this.#listeners) listener(place, keys);
  }
}

function patiently(sets: readonly FetchedKeySet[]): Promise<void> | undefined {
  const untried = sets.filter(({ isTried }) => !isTried);
  if (untried.length === 0) return undefined;
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PATIENCE);
    void Promise.all(untried.map(({ tried }) => tried)).then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
