import type { Key, Query, Read } from '@kedge/incremental';
import type { Proxy } from '@kedge/model';

type AnyQuery = Query<Proxy, readonly Key[], unknown>;
type Compute = AnyQuery['compute'];

/**
 * Counts how often queries are computed by wrappers round them: round one, and round each that is read below it when it is
 * read for the first time. Joins have no computation of their own; what they join is counted.
 */
export class CountedQueries implements Disposable {
  readonly counts = new Map<string, number>();
  /** Names of those whose computations the wrappers don't see. */
  readonly joins = new Set<string>();
  readonly #originals = new Map<AnyQuery, Compute>();

  constructor(root: object) {
    this.#wrap(root as AnyQuery);
  }

  /** Takes the wrappers off. */
  [Symbol.dispose](): void {
    for (const [query, compute] of this.#originals) query.compute = compute;
  }

  #wrap(query: AnyQuery): void {
    if (this.#originals.has(query)) return;
    const compute = query.compute.bind(query);
    this.#originals.set(query, query.compute);
    if (query.join) {
      this.joins.add(query.name);
      this.#wrap(query.join.keys as unknown as AnyQuery);
      this.#wrap(query.join.item as unknown as AnyQuery);
    }
    query.compute = (read, ...args) => {
      this.counts.set(query.name, (this.counts.get(query.name) ?? 0) + 1);
      return compute(this.#watched(read), ...args);
    };
  }

  /** A reader that wraps what is read through it. */
  #watched(read: Read<Proxy>): Read<Proxy> {
    const wrapped = <A extends readonly Key[], V>(query: Query<Proxy, A, V>): typeof query => {
      this.#wrap(query as unknown as AnyQuery);
      return query;
    };
    return Object.assign(
      <A extends readonly Key[], V>(query: Query<Proxy, A, V>, ...args: A): V => read(wrapped(query), ...args),
      {
        get: read.get,
        all: read.all,
        keys: read.keys,
        group: read.group,
        fact: read.fact,
        by: <A extends readonly Key[], V>(query: Query<Proxy, A, V>, ...args: A): V => read.by(wrapped(query), ...args),
      },
    );
  }
}
