import { isDeepStrictEqual } from 'node:util';
import type { Proxy } from '@kedge/model';
import fc from 'fast-check';
import { shown } from '../shown.ts';

/** Which examples to try, and how many: what fast-check understands of it. */
export type Run = Pick<fc.Parameters, 'seed' | 'path' | 'numRuns' | 'interruptAfterTimeLimit' | 'endOnFailure'>;

/** Something that holds for every mesh and whatever happens to it. */
export interface Invariant {
  readonly name: string;
  /** Throws for a counterexample. */
  check(run: Run): void;
  /** How many examples are enough for every day. */
  readonly runs: number;
}

/** An invariant over examples from an arbitrary; `holds` throws where it doesn't. */
export function invariant<T>(
  name: string,
  runs: number,
  examples: fc.Arbitrary<T>,
  holds: (example: T) => void,
): Invariant {
  return {
    name,
    runs,
    check: (run) => {
      const details = fc.check(fc.property(examples, holds), { ...run });
      if (details.failed && details.counterexample !== null) throw failure(details.seed, details);
      if (details.failed) throw new Error('no example ran: what makes them rejects too many, or the time was up');
    },
  };
}

/** Names the seed and the path that lead to the smallest example found. */
function failure<T>(seed: number, { counterexamplePath, counterexample, errorInstance }: fc.RunDetails<T>): Error {
  const example = shown(counterexample);
  const reason = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  return new Error(`seed ${seed}, path ${counterexamplePath}\n${reason}\n${example}`, { cause: errorInstance });
}

/** Throws where what proxies have is not what they should have, and says what differs. */
export function expectSame(
  proxies: readonly Proxy[],
  actual: readonly (readonly string[])[],
  expected: readonly (readonly string[])[],
  about: string,
): void {
  proxies.forEach((proxy, at) => {
    const has = actual[at] ?? [];
    const should = expected[at] ?? [];
    if (isDeepStrictEqual(has, should)) return;
    const extra = has.filter((line) => !should.includes(line));
    const missing = should.filter((line) => !has.includes(line));
    const order = extra.length + missing.length === 0 ? ['the same resources in another order'] : [];
    const list = [...extra.map((line) => `has    ${line}`), ...missing.map((line) => `lacks  ${line}`), ...order];
    throw new Error(`${about}: ${proxy.nodeId}\n${list.join('\n')}`);
  });
}
