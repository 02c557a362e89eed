import type { MeshRead } from '@kedge/config';
import { assembly, join, type Query, query } from '@kedge/incremental';
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

/**
 * Answers to subscriptions by name. Proxies that see the same mostly ask for the same names, though not at the same time: so
 * what they are expected to ask for is joined once for all, and a subscription picks from that.
 */
const byNames: ReadonlyMap<string, ByNames> = new Map(
  Object.entries(resourceTypes).flatMap(([type, { named, expected }]): readonly (readonly [string, ByNames])[] => {
    if (!named) return [];
    return [[type, expected ? fromExpected(type, expected, named) : oneByOne(type, named)]];
  }),
);

type Found = Generated | EncodedResource | undefined;
type Named = Query<Proxy, [name: string], Found>;

function oneByOne(type: string, named: Named): ByNames {
  return assembly(
    query(
      `answerByNames:${type}`,
      (read: MeshRead, names: string) => present(read(namesOf, names).map((name) => resourceOf(read(named, name)))),
      sameMembers,
    ),
  );
}

function fromExpected(type: string, expected: Query<Proxy, [], readonly string[]>, named: Named): ByNames {
  const known = join(`expected:${type}`, expected, named, (found) => found.map(resourceOf), sameMembers);
  return assembly(
    query(
      `answerByNames:${type}`,
      (read: MeshRead, names: string) => {
        const wanted = read(namesOf, names);
        const all = read(expected);
        const resources = read(known);
        if (sameMembers(wanted, all)) return present(resources);
        const places = new Map(all.map((name, at) => [name, at]));
        return present(wanted.map((name) => resources[places.get(name) ?? -1] ?? resourceOf(read(named, name))));
      },
      sameMembers,
    ),
  );
}

const resourceOf = (found: Found): EncodedResource | undefined =>
  found && 'diagnostics' in found ? found.value : found;

function present(resources: readonly (EncodedResource | undefined)[]): readonly EncodedResource[] {
  return resources.filter((resource) => resource !== undefined);
}

/**
 * The resources of one type for one subscription: {@link WILDCARD}, or names by {@link namesKey}. Names that mean nothing
 * have no resource. This is what streams send and what is rendered without a server.
 */
export const answer = assembly(
  query(
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
  ),
);
