/** Values whose equality decides that "nothing changed". */
export type Equality<V> = (a: V, b: V) => boolean;

/**
 * Names a collection of input values, such as "all VirtualServices", whose contents live in snapshots. A source is a
 * descriptor without state: defined once at module level, shared by every snapshot.
 */
export interface Source<V> {
  readonly name: string;
  /** The indexes defined over the source; `index` adds to them. */
  readonly indexes: Index<V>[];
  equals(a: V, b: V): boolean;
}

export function source<V>(name: string, equals: Equality<V> = Object.is): Source<V> {
  return { name, equals, indexes: [] };
}

/**
 * A way of looking up a source's values by something else than their key; a value may stand in several groups. A group
 * that holds nothing reads as an empty list.
 */
export interface Index<V> {
  readonly source: Source<V>;
  readonly name: string;
  groupsOf(value: V, key: string): readonly string[];
}

export function index<V>(
  of: Source<V>,
  name: string,
  groupsOf: (value: V, key: string) => readonly string[],
): Index<V> {
  const defined = { source: of, name: `${of.name}.${name}`, groupsOf };
  of.indexes.push(defined);
  return defined;
}
