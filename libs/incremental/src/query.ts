import type { Equality, Index, Source } from './source.ts';

/** What queries and facts are asked with, and what a fact may answer. */
export type Key = string | number | boolean | undefined;

/**
 * A fact about the subject (the proxy): one question with a primitive answer, so that answers can be compared and shared.
 * A selector is a fact that takes the selector as its argument and answers with a boolean.
 */
export interface Fact<Subject, A extends readonly Key[], V extends Key> {
  readonly name: string;
  of(subject: Subject, ...args: A): V;
}

export function fact<Subject, A extends readonly Key[], V extends Key>(
  name: string,
  of: (subject: Subject, ...args: A) => V,
): Fact<Subject, A, V> {
  return { name, of };
}

/**
 * A value derived from a snapshot and a subject, computed when somebody reads it and kept until something it read changes.
 * `compute` must be pure and must reach its inputs through `read` alone; it never awaits.
 */
export interface Query<Subject, A extends readonly Key[], V> {
  readonly name: string;
  compute(read: Read<Subject>, ...args: A): V;
  /** A recomputed value that equals the old one stops the change there. */
  equals(a: V, b: V): boolean;
  /** Of a derived fact: what of its value tells subjects apart. */
  answerOf?(value: V): unknown;
  /** Of a join: what it joins. */
  readonly join?: JoinOf;
  /** Whether it only puts together what others have made, as joins do. */
  readonly assembles?: boolean;
}

/** What a join is made of, as the machinery holds it. */
interface JoinOf {
  readonly keys: AnyQuery;
  readonly item: AnyQuery;
  combine(values: readonly unknown[]): unknown;
}

export function query<Subject, A extends readonly Key[], V>(
  name: string,
  compute: (read: Read<Subject>, ...args: A) => V,
  equals: Equality<V> = Object.is,
): Query<Subject, A, V> {
  return { name, compute, equals };
}

/**
 * Marks a query that only puts together what others have made, in proportion to all that it holds: traces tell its time
 * apart. Joins are such queries anyway.
 */
export function assembly<Subject, A extends readonly Key[], V>(of: Query<Subject, A, V>): Query<Subject, A, V> {
  return { ...of, assembles: true };
}

/**
 * A fact about the subject that must be looked up: a query that is read like a fact. Whoever reads it, directly or through
 * others, is filed under its answer, while the facts that it took to find the answer (an address, say, that no two subjects
 * have in common) play no part. Values that are no primitives need an `answerOf` which gives equal answers for equal values.
 */
export function derivedFact<Subject, A extends readonly Key[], V>(
  name: string,
  compute: (read: Read<Subject>, ...args: A) => V,
  answerOf: (value: V) => unknown = (value) => value,
): Query<Subject, A, V> {
  return { name, compute, equals: (a, b) => Object.is(answerOf(a), answerOf(b)), answerOf };
}

/**
 * A query over the values of another query for a list of keys: `combine(keys.map(item))`. It gives what the loop would, but
 * where a few of many items change it looks at these alone. For long lists only.
 */
export function join<Subject, A extends readonly Key[], V, R>(
  name: string,
  keys: Query<Subject, A, readonly string[]>,
  item: Query<Subject, [key: string], V>,
  combine: (values: readonly V[]) => R,
  equals: Equality<R> = Object.is,
): Query<Subject, A, R> {
  const parts = { keys, item, combine } as { readonly keys: AnyQuery; readonly item: AnyQuery } & Pick<
    JoinOf,
    'combine'
  >;
  const compute = (read: Read<Subject>, ...args: A): R => combine(read(keys, ...args).map((key) => read(item, key)));
  return { name, compute, equals, join: parts };
}

/** How a query reaches its inputs. Every call is recorded, also one that found nothing. */
export interface Read<Subject> {
  /** The value of another query, for the same subject. */
  <A extends readonly Key[], V>(query: Query<Subject, A, V>, ...args: A): V;
  /**
   * The value of another query, as a question that tells subjects apart: all subjects for which it has the identical value
   * share the result. What the other query read to find its value plays no part in that. Use it where many subjects with
   * different facts (namespaces, say) come to the same choice (a DestinationRule, say).
   */
  by<A extends readonly Key[], V>(query: Query<Subject, A, V>, ...args: A): V;
  /** One value of a source. */
  get<V>(source: Source<V>, key: string): V | undefined;
  /** All values of a source, sorted by key. */
  all<V>(source: Source<V>): readonly V[];
  /** The keys of all values of a source, sorted. Unlike `all` it is not touched by a value that becomes another. */
  keys(source: Source<unknown>): readonly string[];
  /** The values of one group of an index, sorted by key. */
  group<V>(index: Index<V>, group: string): readonly V[];
  /** One fact of the subject. */
  fact<A extends readonly Key[], V extends Key>(fact: Fact<Subject, A, V>, ...args: A): V;
}

/** Any fact or query, as the machinery holds them: what their arguments are is known to those who ask. */
export type AnyFact = Fact<never, readonly Key[], Key>;
export type AnyQuery = Query<never, readonly Key[], unknown>;
