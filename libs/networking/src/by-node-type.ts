import type { Equality, Key, Query } from '@kedge/incremental';
import { query } from '@kedge/incremental';
import type { NodeType, Proxy } from '@kedge/model';
import { nodeType } from '@kedge/pushcontext';

/** A query that is another one for each type of node; types that the table leaves out get `otherwise`. */
export function byNodeType<A extends readonly Key[], V>(
  name: string,
  table: Partial<Readonly<Record<NodeType, Query<Proxy, A, V>>>>,
  otherwise: V,
  equals: Equality<V>,
): Query<Proxy, A, V> {
  return query<Proxy, A, V>(
    name,
    (read, ...args) => {
      const chosen = table[read.fact(nodeType)];
      return chosen ? read(chosen, ...args) : otherwise;
    },
    equals,
  );
}
