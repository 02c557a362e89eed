import type { MeshRead } from '@kedge/config';
import { type Key, query, type Query } from '@kedge/incremental';
import type { Proxy } from '@kedge/model';
import { type Generated, sameGenerated } from './guard.ts';
import type { EncodedPiece, EncodedResource } from './resource.ts';

const names = new Set<string>();

/** A query whose values are encoded. They are equal by their bytes, their origins and their findings. */
export function encodedQuery<A extends readonly Key[], V extends Generated<EncodedResource | EncodedPiece> | undefined>(
  name: string,
  compute: (read: MeshRead, ...args: A) => V,
): Query<Proxy, A, V> {
  names.add(name);
  return query(name, compute, (a, b) => (a && b ? sameGenerated(a, b) : a === b));
}

/** Whether a query of this name encodes: counted apart from others, for each of its computations costs the most. */
export const encodes = (name: string): boolean => names.has(name);
