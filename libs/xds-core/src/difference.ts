import { Answer, type EncodedResource, type Held } from './answer.ts';

/** What leads from what a client holds to an answer. */
export class Difference {
  readonly to: Answer;
  /** New resources, and those of another version, in the order of the answer. */
  readonly changed: readonly EncodedResource[];
  readonly removed: readonly string[];
  readonly #from: Held;
  #grown: Answer | undefined;
  #required: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(from: Held, to: Answer) {
    this.#from = from;
    this.to = to;
    const { changed, removed } = from instanceof Answer ? betweenAnswers(from, to) : sinceVersions(from, to);
    this.changed = changed;
    this.removed = removed;
  }

  get empty(): boolean {
    return this.changed.length === 0 && this.removed.length === 0;
  }

  /** The answer together with what it removes: the state of a client between the making and the breaking. */
  get grown(): Answer {
    return (this.#grown ??= new Answer([...this.to.resources, ...this.removed.map((name) => kept(this.#from, name))]));
  }

  /** What must follow the changed resources, by type URL. */
  get required(): ReadonlyMap<string, readonly string[]> {
    return (this.#required ??= requiredBy(this.changed));
  }
}

type Changes = Pick<Difference, 'changed' | 'removed'>;

/** Most names stand in the same order in both: they are compared pairwise, and only what lies between by name. */
function betweenAnswers({ resources: from }: Answer, { resources: to }: Answer): Changes {
  if (from.length === 0 || from === to) return { changed: from === to ? [] : to, removed: [] };
  const most = Math.min(from.length, to.length);
  let head = 0;
  while (head < most && isOfSameName(from[head], to[head])) head += 1;
  let tail = 0;
  while (tail < most - head && isOfSameName(from[from.length - 1 - tail], to[to.length - 1 - tail])) tail += 1;
  const between = new Map(from.slice(head, from.length - tail).map(({ name, version }) => [name, version]));
  const shift = from.length - to.length;
  const changed = to.filter((resource, at) => {
    if (at >= head && at < to.length - tail) return between.get(resource.name) !== resource.version;
    const former = from[at < head ? at : at + shift];
    return former !== resource && former?.version !== resource.version;
  });
  for (let at = head; at < to.length - tail; at += 1) between.delete(to[at]?.name ?? '');
  return { changed, removed: [...between.keys()] };
}

/** Most are the identical resource, whose name is not looked at. */
function isOfSameName(a: EncodedResource | undefined, b: EncodedResource | undefined): boolean {
  return a === b || a?.name === b?.name;
}

function sinceVersions(from: Held, to: Answer): Changes {
  return {
    changed: to.resources.filter(({ name, version }) => from.versionOf(name) !== version),
    removed: Array.from(from.names()).filter((name) => to.get(name) === undefined),
  };
}

export function requiredBy(resources: readonly EncodedResource[]): ReadonlyMap<string, readonly string[]> {
  const required = new Map<string, string[]>();
  for (const { requires = [] } of resources) {
    for (const { typeUrl, names } of requires) {
      const known = required.get(typeUrl);
      if (known === undefined) required.set(typeUrl, [...names]);
      else known.push(...names);
    }
  }
  return required;
}

/** Computes each difference once, for all connections that make the step; it is dropped with either answer. */
export class Differences {
  readonly #known = new WeakMap<Held, WeakMap<Answer, Difference>>();
  /** How many were computed. */
  computed = 0;

  between(from: Held, to: Answer): Difference {
    let steps = this.#known.get(from);
    if (steps === undefined) this.#known.set(from, (steps = new WeakMap()));
    let step = steps.get(to);
    if (step === undefined) {
      steps.set(to, (step = new Difference(from, to)));
      this.computed += 1;
    }
    return step;
  }
}

/** A resource that the client holds, as it holds it; of an earlier stream's resources only the version is known. */
export function kept(from: Held, name: string): EncodedResource {
  if (from instanceof Answer) {
    const resource = from.get(name);
    if (resource !== undefined) return resource;
  }
  return { name, version: from.versionOf(name) ?? '', any: unknownBytes };
}

const unknownBytes = new Uint8Array(0);

/** Whether the bytes are at hand; they are not where only an earlier stream's `InitialVersions` named the resource. */
export function isSendable(resource: EncodedResource): boolean {
  return resource.any !== unknownBytes;
}
