/** What makes one set of names of another. */
interface Difference {
  readonly added: readonly string[];
  readonly taken: readonly string[];
}

const differences = new WeakMap<ReadonlySet<string>, WeakMap<ReadonlySet<string>, Difference>>();

/** Found once for all proxies that make the step: sets of names are shared. */
export function difference(from: ReadonlySet<string>, to: ReadonlySet<string>): Difference {
  let known = differences.get(from);
  if (!known) differences.set(from, (known = new WeakMap()));
  let step = known.get(to);
  if (!step) {
    step = {
      added: [...to].filter((name) => !from.has(name)),
      taken: [...from].filter((name) => !to.has(name)),
    };
    known.set(to, step);
  }
  return step;
}
