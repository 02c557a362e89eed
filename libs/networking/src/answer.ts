import type { MeshRead } from '@kedge/config';
import { join, type Query, query } from '@kedge/incremental';
import type { Proxy } from '@kedge/model';
import { sameMembers } from '@kedge/pushcontext';
import type { Generated } from './guard.ts';
import type { EncodedResource } from './resource.ts';
import { resourceTypes } from './resource-types.ts';
import type { TypeUrl } from './type-urls.ts';

/** Stands for all resources of a type, where a list of names could stand. */
export const WILDCARD = '*';

/** The names of a subscription as one key; equal subscriptions should use the identical text. */
export function namesKey(names: readonly string[]): string {
  return names.join('\n');
}

/** The names that a key stands for. */
const namesOf = query('names', (_read: MeshRead, names: string): readonly string[] =>
  names === '' ? [] : names.split('\n'),
);

type ByNames = Query<Proxy, [names: string], readonly EncodedResource[]>;

/** Answers to subscriptions by name: where few of many resources change, only these are looked at. */
const byNames: ReadonlyMap<string, ByNames> = new Map(
  Object.entries(resourceTypes).flatMap(([type, { named }]): readonly (readonly [string, ByNames])[] => {
    if (!named) return [];
    return [[type, join(`answerByNames:${type}`, namesOf, named, present, sameMembers)]];
  }),
);

function present(found: readonly (Generated | EncodedResource | undefined)[]): readonly EncodedResource[] {
  return found
    .map((one) => (one && 'diagnostics' in one ? one.value : one))
    .filter((resource) => resource !== undefined);
}

/**
 * The resources of one type for one subscription: {@link WILDCARD}, or names by {@link namesKey}. Names that mean nothing
 * have no resource. This is what streams send and what is rendered without a server.
 */
export const answer = query(
  'answer',
  (read: MeshRead, type: TypeUrl, names: string): readonly EncodedResource[] => {
    const { all } = resourceTypes[type];
    if (names === WILDCARD) return all ? read(all) : [];
    const named = byNames.get(type);
    if (named) return read(named, names);
    const chosen = new Set(read(namesOf, names));
    return all ? read(all).filter(({ name }) => chosen.has(name)) : [];
  },
  sameMembers,
);
