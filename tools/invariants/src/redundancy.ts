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
import type { Proxy } from '@kedge/model';
import { answer, TYPE_URLS } from '@kedge/networking';
import type { PushContext } from '@kedge/pushcontext';
import { type ShortType, subscriptionsOf } from './answers.ts';
import { type History, meshesOf } from './history.ts';
import { advanced, freshContext } from './mesh.ts';

/** Whether whoever reads an accessor in a history reads all that it rests on as well, so that forgetting it does no harm. */
export function isRedundant(history: History, accessor: string): boolean {
  let mesh = history.start;
  let push = freshContext(mesh);
  let forgetful = freshContext(mesh, { records: (name) => name !== accessor });
  let isRead = false;
  for (const next of [mesh, ...meshesOf(history)]) {
    [push, forgetful] = [advanced(push, mesh, next), advanced(forgetful, mesh, next)];
    mesh = next;
    for (const proxy of history.proxies) {
      const partsOf = new Map<string, readonly Derivation[]>();
      for (const reader of derivationsFor(push, proxy)) {
        const parts = reader.parts.filter(({ query }) => query === accessor);
        if (parts.length > 0) partsOf.set(valueKey(reader), parts);
      }
      if (partsOf.size === 0) continue;
      isRead = true;
      // Readers to which only the accessor leads are not among those: nobody hears of them.
      for (const reader of derivationsFor(forgetful, proxy)) {
        const parts = partsOf.get(valueKey(reader)) ?? [];
        if (!parts.every((part) => isCovered(push.snapshot, part, reader))) return false;
      }
    }
  }
  return isRead;
}

/** All that goes into what the proxy gets. */
function derivationsFor(push: PushContext, proxy: Proxy): readonly Derivation[] {
  return Object.entries(subscriptionsOf(push, proxy)).flatMap(([type, names]) => [
    ...derivations(push.memo.derivation(proxy, answer, TYPE_URLS[type as ShortType], names)),
  ]);
}

const valueKey = ({ query, args }: Derivation): string => [query, ...args].join(' ');

/**
 * Whether a reader that forgot a part reads all that the part rests on, directly or as far as it takes: whatever changes the
 * part then makes the reader look again. What tells proxies apart must have come to the reader too.
 */
function isCovered(snapshot: Snapshot, part: Derivation, reader: Derivation): boolean {
  const facts = new Set(reader.facts.map(factText));
  const isRead = (input: InputName): boolean =>
    reader.inputs.some((read) => read === input || isFoundBy(snapshot, input, read));
  const covers = (below: Derivation): boolean =>
    below.facts.every((fact) => facts.has(factText(fact))) &&
    below.inputs.every(isRead) &&
    below.parts.every((deeper) => reader.parts.some((own) => isSame(own, deeper)) || covers(deeper));
  return covers(part);
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
