import { isDeepStrictEqual } from 'node:util';
import { configSources } from '@kedge/config';
import {
  type Derivation,
  derivations,
  type InputName,
  parseInput,
  type Snapshot,
  type Source,
} from '@kedge/incremental';
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
          isSo &&= parts.every((part) => isCovered(push.snapshot, part, reader));
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
function isCovered(snapshot: Snapshot, part: Derivation, reader: Derivation): boolean {
  const isRead = (input: InputName): boolean =>
    reader.inputs.some((read) => read === input || isFoundBy(snapshot, input, read));
  const others = reader.parts.filter(({ query }) => query !== part.query);
  const facts = new Set(others.flatMap((other) => other.facts.map(factText)));
  const covers = (below: Derivation): boolean =>
    below.inputs.every(isRead) &&
    below.parts.every((deeper) => others.some((other) => isSame(other, deeper)) || covers(deeper));
  return part.facts.every((fact) => facts.has(factText(fact))) && covers(part);
}

const sources: Readonly<Record<string, Source<unknown>>> = configSources;

/** Whether an input is an object that is there, and among those that another input looks up: that changes along with it. */
function isFoundBy(snapshot: Snapshot, input: InputName, lookUp: InputName): boolean {
  const { source: kind, index: none, key } = parseInput(input);
  const { source: place, index: by, key: group } = parseInput(lookUp);
  const source = none === undefined ? sources[kind] : undefined;
  const index = source?.indexes.find(({ name }) => name === `${place}.${by}`);
  if (!source || !index || key === undefined || group === undefined) return false;
  const object = snapshot.get(source, key);
  return object !== undefined && snapshot.group(index, group).includes(object);
}

const factText = ({ fact, args }: Derivation['facts'][number]): string => JSON.stringify([fact, ...args]);

const isSame = (a: Derivation, b: Derivation): boolean => a.query === b.query && isDeepStrictEqual(a.args, b.args);
