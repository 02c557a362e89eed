import { createHash } from 'node:crypto';

/** What a connection asks for of one type. Equal subscriptions of a pool are the same object. */
export class Subscription {
  readonly wildcard: boolean;
  /** The names that were asked for explicitly, sorted. */
  readonly names: readonly string[];
  readonly #positions: ReadonlyMap<string, number>;
  /** Lists that were found to be these names, in some order. */
  readonly #same = new WeakSet<readonly string[]>();
  readonly #beyond = new WeakMap<Subscription, readonly string[]>();

  constructor(wildcard: boolean, sortedNames: readonly string[]) {
    this.wildcard = wildcard;
    this.names = Object.freeze(sortedNames);
    this.#positions = new Map(sortedNames.map((name, position) => [name, position]));
  }

  get empty(): boolean {
    return !this.wildcard && this.names.length === 0;
  }

  /** Whether the name was asked for explicitly. */
  has(name: string): boolean {
    return this.#positions.has(name);
  }

  /** Whether these are the names, in any order. Spares a client's ACKs, which repeat them, the sorting. */
  isTo(names: readonly string[]): boolean {
    if (this.wildcard || names.length !== this.names.length) return false;
    if (this.#same.has(names)) return true;
    const seen = new Uint8Array(names.length);
    const isSame = names.every((name) => {
      const position = this.#positions.get(name);
      if (position === undefined || seen[position] === 1) return false;
      seen[position] = 1;
      return true;
    });
    if (isSame) this.#same.add(names);
    return isSame;
  }

  /** The names that were not asked for before; found once for all that make this step. */
  beyond(former: Subscription): readonly string[] {
    let names = this.#beyond.get(former);
    if (names === undefined) this.#beyond.set(former, (names = this.names.filter((name) => !former.has(name))));
    return names;
  }

  /** Whether a resource of that name concerns the subscriber. */
  includes(name: string): boolean {
    return this.wildcard || this.#positions.has(name);
  }
}

/** The name by which a client asks for everything. */
const everything = '*';

/** Names that were added to a subscription and taken from it, and what it became. */
interface Step {
  readonly added: readonly string[];
  readonly taken: readonly string[];
  readonly to: WeakRef<Subscription>;
}

/** How many steps from a subscription are known. */
const mostSteps = 8;

/** Interns subscriptions, as long as somebody holds them. */
export class SubscriptionPool {
  readonly none: Subscription;
  readonly all: Subscription;
  /** What lists stand for: a list that clients repeat is the identical one (`NameLists`). */
  readonly #ofLists = new WeakMap<readonly string[], Subscription>();
  readonly #interned = new Map<string, WeakRef<Subscription>>();
  /** The last steps from each: clients that see the same make the same. */
  readonly #steps = new WeakMap<Subscription, readonly Step[]>();
  readonly #gone = new FinalizationRegistry<string>((key) => {
    if (this.#interned.get(key)?.deref() === undefined) this.#interned.delete(key);
  });

  constructor() {
    this.none = this.#intern(false, []);
    this.all = this.#intern(true, []);
  }

  /** The subscription to these names, in any order; `*` among them stands for everything. */
  of(names: readonly string[]): Subscription {
    let known = this.#ofLists.get(names);
    if (known === undefined) this.#ofLists.set(names, (known = this.#ofSet(new Set(names))));
    return known;
  }

  /** What remains of a subscription after names were added, then names taken away. */
  change(from: Subscription, added: readonly string[], taken: readonly string[]): Subscription {
    if (added.length === 0 && taken.length === 0) return from;
    const steps = this.#steps.get(from) ?? [];
    const known = steps.find((step) => isSame(step.added, added) && isSame(step.taken, taken))?.to.deref();
    if (known !== undefined) return known;
    const names = new Set(from.names);
    if (from.wildcard) names.add(everything);
    for (const name of added) names.add(name);
    for (const name of taken) names.delete(name);
    const to = this.#ofSet(names);
    this.#steps.set(from, [{ added, taken, to: new WeakRef(to) }, ...steps.slice(0, mostSteps - 1)]);
    return to;
  }

  /** @param names taken over, and changed. */
  #ofSet(names: Set<string>): Subscription {
    return this.#intern(names.delete(everything), [...names].sort());
  }

  #intern(wildcard: boolean, names: readonly string[]): Subscription {
    const key = `${wildcard ? everything : ''}${names.length}:${digest(names)}`;
    const known = this.#interned.get(key)?.deref();
    if (known !== undefined) return known;
    const made = new Subscription(wildcard, names);
    this.#interned.set(key, new WeakRef(made));
    this.#gone.register(made, key);
    return made;
  }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((name, at) => name === b[at]));
}

function digest(names: readonly string[]): string {
  return createHash('sha256').update(names.join('\0')).digest('base64');
}
