import type { Resource, Run } from './resources.ts';

/** What a response made of what was held. */
interface Step {
  readonly to: Held;
  /** Whether it is other than before. */
  readonly changed: boolean;
  /** Whether a resource that is new shows the change that is waited for. */
  readonly marked: boolean;
}

/**
 * What proxies hold of a type. It never changes: proxies that take the same step from the same share what it leads to, so
 * that thousands of them need not look at thousands of resources each.
 */
export class Held {
  static readonly nothing = new Held(new Map());

  readonly resources: ReadonlyMap<string, Resource>;
  /** By what the responses hold; what nobody holds any more is let go. */
  readonly #steps = new Map<string, Omit<Step, 'to'> & { readonly to: WeakRef<Held> }>();
  readonly #covered = new WeakMap<ReadonlySet<string>, boolean>();
  #references: ReadonlySet<string> | undefined;

  private constructor(resources: ReadonlyMap<string, Resource>) {
    this.resources = resources;
  }

  /** The names of all that the resources refer to. */
  get references(): ReadonlySet<string> {
    return (this.#references ??= new Set(this.resources.values().flatMap(({ references }) => references)));
  }

  /** Whether there is a resource for each name. */
  covers(names: ReadonlySet<string>): boolean {
    let covered = this.#covered.get(names);
    if (covered === undefined) {
      covered = names.values().every((name) => this.resources.has(name));
      this.#covered.set(names, covered);
    }
    return covered;
  }

  /** @param complete whether what the runs don't hold is gone. */
  take(runs: readonly Run[], removed: readonly string[], complete: boolean): Step {
    const key = `${complete ? '=' : '+'}${runs.map((run) => run.key).join()}-${removed.join()}`;
    const known = this.#steps.get(key);
    const to = known?.to.deref();
    if (known && to) return { ...known, to };
    const step = this.#step(runs, removed, complete);
    this.#steps.set(key, { ...step, to: new WeakRef(step.to) });
    return step;
  }

  without(names: readonly string[]): Held {
    return names.length === 0 ? this : this.take([], names, false).to;
  }

  #step(runs: readonly Run[], removed: readonly string[], complete: boolean): Step {
    const all = runs.flatMap(({ resources }) => resources);
    const fresh = all.filter(({ name, content }) => this.resources.get(name)?.content !== content);
    const resources = new Map(complete ? [] : this.resources);
    for (const resource of complete ? all : fresh) resources.set(resource.name, resource);
    for (const name of removed) resources.delete(name);
    const changed = fresh.length > 0 || resources.size !== this.resources.size;
    return { to: changed ? new Held(resources) : this, changed, marked: fresh.some(({ isMarked }) => isMarked) };
  }
}
