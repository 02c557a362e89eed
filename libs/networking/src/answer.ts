import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import { sameMembers } from '@kedge/pushcontext';
import type { EncodedResource } from './resource.ts';
import { resourceTypes } from './resource-types.ts';
import type { TypeUrl } from './type-urls.ts';

/** Stands for all resources of a type, where a list of names could stand. */
export const WILDCARD = '*';

/** The names of a subscription as one key; equal subscriptions should use the identical text. */
export function namesKey(names: readonly string[]): string {
  return names.join('\n');
}

/**
 * The resources of one type for one subscription: {@link WILDCARD}, or names by {@link namesKey}. Names that mean nothing
 * have no resource. This is what streams send and what is rendered without a server.
 */
export const answer = query(
  'answer',
  (read: MeshRead, type: TypeUrl, names: string): readonly EncodedResource[] => {
    const { all, named } = resourceTypes[type];
    if (names === WILDCARD) return all ? read(all) : [];
    const wanted = names === '' ? [] : names.split('\n');
    if (named) return wanted.map((name) => read(named, name)).filter((resource) => resource !== undefined);
    const chosen = new Set(wanted);
    return all ? read(all).filter(({ name }) => chosen.has(name)) : [];
  },
  sameMembers,
);
