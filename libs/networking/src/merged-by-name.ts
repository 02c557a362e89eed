import { compareText } from '@kedge/pushcontext';

interface Named {
  readonly name: string;
}

/**
 * A few resources in the places that they have by name among many that are sorted already, and have each name once. Of
 * several of a name the first counts, those of the many before all others. Where nothing is added, it is the identical list.
 */
export function mergedByName<R extends Named>(many: readonly R[], few: readonly R[]): readonly R[] {
  const added: { readonly place: number; readonly resource: R }[] = [];
  for (const resource of few.toSorted((a, b) => compareText(a.name, b.name))) {
    const place = lowerBound(many, resource.name);
    const { name } = resource;
    if (many[place]?.name !== name && added.at(-1)?.resource.name !== name) added.push({ place, resource });
  }
  if (added.length === 0) return many;
  const all: R[] = [];
  let from = 0;
  for (const { place, resource } of added) {
    for (; from < place; from++) all.push(many[from] as R);
    all.push(resource);
  }
  for (; from < many.length; from++) all.push(many[from] as R);
  return all;
}

/** The first place whose name is not before this one. */
function lowerBound(sorted: readonly Named[], name: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle]?.name ?? '') < name) low = middle + 1;
    else high = middle;
  }
  return low;
}
