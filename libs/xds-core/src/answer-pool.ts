import type { Answer, EncodedResource } from './answer.ts';

/** How many different answers of a type are compared with a new one. */
const mostCompared = 64;

/**
 * Equal answers of a type as one object, whoever they were generated for: so differences are found and bodies are made once
 * for all clients that get the same. Answers live as long as somebody holds them.
 */
export class AnswerPool {
  readonly #interned = new WeakMap<Answer, Answer>();
  /** By type URL, the latest used first. */
  readonly #recent = new Map<string, readonly WeakRef<Answer>[]>();

  intern(typeUrl: string, answer: Answer): Answer {
    const known = this.#interned.get(answer);
    if (known !== undefined) return known;
    const recent = this.#recent.get(typeUrl) ?? [];
    const same = recent.find((reference) => isSame(reference.deref(), answer));
    const interned = same?.deref() ?? answer;
    const others = recent.filter((reference) => reference !== same && reference.deref() !== undefined);
    this.#recent.set(typeUrl, [same ?? new WeakRef(answer), ...others.slice(0, mostCompared - 1)]);
    this.#interned.set(answer, interned);
    return interned;
  }
}

/** Answers differ mostly in what is a proxy's own, which its name puts near one of the ends: they are compared from both. */
function isSame(known: Answer | undefined, { resources }: Answer): boolean {
  if (known === undefined || known.size !== resources.length) return false;
  for (let head = 0, tail = resources.length - 1; head <= tail; head += 1, tail -= 1) {
    if (!isSameResource(resources[head], known.resources[head])) return false;
    if (!isSameResource(resources[tail], known.resources[tail])) return false;
  }
  return true;
}

function isSameResource(a: EncodedResource | undefined, b: EncodedResource | undefined): boolean {
  return a === b || (a?.version === b?.version && a?.name === b?.name);
}
