import { isIPv4 } from 'node:net';
import type { Diagnostic } from '@kedge/model';
import { addressRange } from '../address-range.ts';
import type { LostMatch, OutboundChainPlan } from './listener-plan.ts';

/* Envoy refuses a whole listener if two of its chains match alike in anything they list, or if one lists what cannot be
   matched. Here the later chain loses what an earlier one has, and any chain what is malformed; all the rest is served. */

/** What a chain lists. A connection fits if its name and its address do; `ANY` stands for whatever is not listed. */
interface Wants {
  readonly names: readonly string[];
  readonly ranges: readonly string[];
}

const ANY = '*';

/** Each once by its key; any, where there are none. */
function listed(texts: readonly string[], keyOf: (text: string) => string): readonly string[] {
  if (texts.length === 0 || texts.includes(ANY)) return [ANY];
  return [...new Map(texts.toReversed().map((text) => [keyOf(text), text])).values()].reverse();
}

/** Chains that ask only for what they can have. Those that are left with nothing stay, so that they can be reported. */
export function withoutClashes(chains: readonly OutboundChainPlan[]): readonly OutboundChainPlan[] {
  const claimed = new Set<string>();
  return chains.map((chain) => settle(chain, claimed));
}

function settle(chain: OutboundChainPlan, claimed: Set<string>): OutboundChainPlan {
  const { match } = chain;
  const key = (name: string, range: string): string => JSON.stringify([match.http, name, rangeKey(range)]);
  const isFree = (name: string, range: string): boolean => !claimed.has(key(name, range));
  const wanted: Wants = {
    names: listed(match.serverNames, (name) => name),
    ranges: listed(match.ranges, rangeKey),
  };
  const sound: Wants = { names: wanted.names.filter(isServerName), ranges: wanted.ranges.filter(isRange) };
  // Names tell more than ranges do, so a chain that has both gives up names.
  const free: Wants = sound.names.includes(ANY)
    ? { ...sound, ranges: sound.ranges.filter((range) => isFree(ANY, range)) }
    : { ...sound, names: sound.names.filter((name) => sound.ranges.every((range) => isFree(name, range))) };
  for (const name of free.names) for (const range of free.ranges) claimed.add(key(name, range));
  const lost = [...difference(wanted, sound, 'malformed'), ...difference(sound, free, 'taken')];
  const isUnchanged =
    lost.length === 0 && !repeats(match.serverNames, wanted.names) && !repeats(match.ranges, wanted.ranges);
  if (isUnchanged) return chain;
  return {
    ...chain,
    match: { ...match, serverNames: named(free.names), ranges: named(free.ranges) },
    ...(lost.length > 0 ? { lost } : {}),
    ...(free.names.length === 0 || free.ranges.length === 0 ? { shadowed: true } : {}),
  };
}

const named = (texts: readonly string[]): readonly string[] => texts.filter((text) => text !== ANY);
const repeats = (given: readonly string[], once: readonly string[]): boolean =>
  !given.includes(ANY) && given.length > once.length;

function difference(before: Wants, after: Wants, reason: LostMatch['reason']): readonly LostMatch[] {
  const gone = (a: readonly string[], b: readonly string[]): readonly string[] => a.filter((text) => !b.includes(text));
  return [...gone(before.names, after.names), ...gone(before.ranges, after.ranges)].map((text) => ({ text, reason }));
}

/** Envoy knows stars only in place of the first labels. */
const isServerName = (name: string): boolean => name === ANY || !name.replace(/^\*\./, '').includes('*');

/** A range of all addresses is another thing than no range: the chain without one is the listener's default. */
const rangeKey = (range: string): string => (range === ANY ? ANY : isRange(range) ? `net ${networkKey(range)}` : range);

const isRange = (range: string): boolean => range === ANY || addressRange(range) !== undefined;

/** Equal for ranges of the same addresses, however they are written; that of all addresses is as good as none. */
export function networkKey(text: string): string {
  const range = addressRange(text);
  if (!range || range.addressPrefix === '0.0.0.0') return ANY;
  const { addressPrefix = '', prefixLen = 0 } = range;
  if (!isIPv4(addressPrefix)) return `${addressPrefix}/${prefixLen}`;
  const bits = addressPrefix.split('.').reduce((value, part) => value * 256 + Number(part), 0);
  const size = 2 ** (32 - prefixLen);
  return `${Math.floor(bits / size) * size}/${prefixLen}`;
}

const REASONS: Readonly<Record<LostMatch['reason'], string>> = {
  taken: 'another filter chain of the listener takes the same connections and was there first',
  malformed: 'Envoy cannot match it',
};

/** Names those who asked for what they don't get. */
export function clashDiagnostics(
  listener: string,
  { lost = [], from, shadowed }: OutboundChainPlan,
): readonly Diagnostic[] {
  const [culprit = { kind: '', namespace: '', name: '' }] = from;
  return lost.map(({ text, reason }) => ({
    ...culprit,
    severity: 'error',
    code: `${reason}-filter-chain-match`,
    field: '',
    message:
      `"${text}" is left out of the Listener "${listener}"${shadowed ? ', and with it the filter chain' : ''}: ` +
      REASONS[reason],
  }));
}
