import { isDeepStrictEqual } from 'node:util';
import { type Derivation, derivations } from '@kedge/incremental';
import { answer, TYPE_URLS } from '@kedge/networking';
import type { PushContext } from '@kedge/pushcontext';
import { type ShortType, subscriptionsOf } from './answers.ts';
import type { History } from './history.ts';
import { liveStates } from './live.ts';

/** Whether whoever reads an accessor in a history reads all that it rests on as well, so that forgetting it does no harm. */
export function isRedundant(history: History, accessor: string): boolean {
  let readings = 0;
  let isSo = true;
  const look = (push: PushContext): void => {
    for (const proxy of history.proxies) {
      for (const [type, names] of Object.entries(subscriptionsOf(push, proxy))) {
        const root = push.memo.derivation(proxy, answer, TYPE_URLS[type as ShortType], names);
        for (const reader of derivations(root)) {
          const parts = reads(reader, accessor);
          readings += parts.length;
          isSo &&= parts.every((part) => isCovered(part, reader));
        }
      }
    }
  };
  for (const _state of liveStates(history, {}, look)) if (!isSo) return false;
  return isSo && readings > 0;
}

const reads = ({ parts }: Derivation, accessor: string): readonly Derivation[] =>
  parts.filter(({ query }) => query === accessor);

/**
 * Whether a reader reads itself all that a part rests on, directly or as far as it takes: whatever changes the part then makes
 * the reader look again without it. What tells proxies apart must come to the reader on other ways too.
 */
function isCovered(part: Derivation, reader: Derivation): boolean {
  const inputs = new Set(reader.inputs);
  const others = reader.parts.filter(({ query }) => query !== part.query);
  const facts = new Set(others.flatMap((other) => other.facts.map(factText)));
  const covers = (below: Derivation): boolean =>
    below.inputs.every((input) => inputs.has(input)) &&
    below.parts.every((deeper) => others.some((other) => isSame(other, deeper)) || covers(deeper));
  return part.facts.every((fact) => facts.has(factText(fact))) && covers(part);
}

const factText = ({ fact, args }: Derivation['facts'][number]): string => JSON.stringify([fact, ...args]);

const isSame = (a: Derivation, b: Derivation): boolean => a.query === b.query && isDeepStrictEqual(a.args, b.args);
