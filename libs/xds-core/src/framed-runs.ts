import type { EncodedResource } from './answer.ts';

/** From this size on an encoded resource is referred to, not copied: it is a run by itself. */
const referredToBytes = 64 * 1024;

/** Bounds of a run's size: each costs a write, and whatever differs costs a whole one. The first of a body may be shorter. */
const leastBytes = 64 * 1024;
const mostBytes = 512 * 1024;

export const isReferredTo = ({ any }: EncodedResource): boolean => any.length >= referredToBytes;

/** Versions are hashes: about every 32nd resource ends a run, whatever stands around it. */
function mayEndRun({ version }: EncodedResource): boolean {
  return (version.charCodeAt(version.length - 1) & 31) === 1;
}

/**
 * Cuts the resources of a body into runs, at places that follow from what they are: where two bodies differ in a few
 * resources, all other runs are the same in both.
 */
export function* runsOf(resources: readonly EncodedResource[]): Generator<readonly EncodedResource[]> {
  let from = 0;
  let bytes = 0;
  for (const [at, resource] of resources.entries()) {
    const isLarge = isReferredTo(resource);
    if (isLarge && at > from) yield resources.slice(from, at);
    if (isLarge) from = at;
    bytes += resource.any.length;
    const isLong = from === 0 || bytes >= leastBytes;
    if (!isLarge && bytes < mostBytes && !(isLong && mayEndRun(resource))) continue;
    yield resources.slice(from, at + 1);
    from = at + 1;
    bytes = 0;
  }
  if (from < resources.length) yield resources.slice(from);
}

interface Run {
  readonly resources: readonly EncodedResource[];
  readonly bytes: WeakRef<Uint8Array>;
}

/** Framed runs of resources, each once for all bodies that hold it, for as long as there is one. */
export class FramedRuns {
  readonly #byFirst = new WeakMap<EncodedResource, readonly Run[]>();

  get(resources: readonly EncodedResource[], frame: () => Uint8Array): Uint8Array {
    const [first] = resources;
    if (first === undefined) return frame();
    const known = this.#byFirst.get(first) ?? [];
    const bytes = known.find((run) => isSame(run.resources, resources))?.bytes.deref();
    if (bytes !== undefined) return bytes;
    const framed = frame();
    const others = known.filter((run) => run.bytes.deref() !== undefined);
    this.#byFirst.set(first, [...others, { resources, bytes: new WeakRef(framed) }]);
    return framed;
  }
}

function isSame(a: readonly EncodedResource[], b: readonly EncodedResource[]): boolean {
  return a.length === b.length && a.every((resource, at) => resource === b[at]);
}
