import { parseDuration, parseTimestamp } from '../codec/time.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { FORMATS, headerPattern } from './well-known-formats.ts';

/** Gives what is wrong with a value, or undefined. */
export type Check = (value: unknown) => string | undefined;

/** One rule, with the name that reports give it, such as `string.min_len`. */
export interface Rule {
  readonly rule: string;
  readonly check: Check;
}

/** Makes the check of a rule from its parameter; `rules` are all rules of the value. */
type RuleMaker = (parameter: JsonValue, rules: JsonObject) => Check;

/** Rules of validate.*Rules for single values, by the member of FieldRules and their JSON names. */
export function valueRules(kind: string, rules: JsonObject): readonly Rule[] {
  const makers = MAKERS[kind];
  if (!makers) throw new Error(`validation rules of kind ${kind} are not supported`);
  return Object.entries(rules)
    .filter(([name, parameter]) => !MODIFIERS.has(name) && parameter !== false)
    .map(([name, parameter]) => {
      const make = makers[name];
      if (!make) throw new Error(`validation rule ${kind}.${name} is not supported`);
      return { rule: `${kind}.${snakeCase(name)}`, check: make(parameter, rules) };
    });
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Parameters that change other rules, or are looked after where presence is known. */
const MODIFIERS = new Set(['ignoreEmpty', 'strict', 'required']);

function membership<T>(key: (value: unknown) => T): Readonly<Record<'const' | 'in' | 'notIn', RuleMaker>> {
  const listed = (parameter: JsonValue): ReadonlySet<T> => new Set((parameter as readonly JsonValue[]).map(key));
  return {
    const: (parameter) => (value) =>
      key(value) === key(parameter) ? undefined : `must be ${JSON.stringify(parameter)}`,
    in: (parameter) => {
      const allowed = listed(parameter);
      return (value) => (allowed.has(key(value)) ? undefined : `must be one of ${JSON.stringify(parameter)}`);
    },
    notIn: (parameter) => {
      const refused = listed(parameter);
      return (value) => (refused.has(key(value)) ? `must not be one of ${JSON.stringify(parameter)}` : undefined);
    },
  };
}

type Limit = 'gt' | 'gte' | 'lt' | 'lte';

const LIMITS: Readonly<Record<Limit, { readonly text: string; readonly holds: <T>(value: T, limit: T) => boolean }>> = {
  gt: { text: 'greater than', holds: (value, limit) => value > limit },
  gte: { text: 'at least', holds: (value, limit) => value >= limit },
  lt: { text: 'less than', holds: (value, limit) => value < limit },
  lte: { text: 'at most', holds: (value, limit) => value <= limit },
};

const OPPOSITE: Readonly<Record<Limit, readonly Limit[]>> = {
  gt: ['lt', 'lte'],
  gte: ['lt', 'lte'],
  lt: ['gt', 'gte'],
  lte: ['gt', 'gte'],
};

/** Ranges over values that `order` makes comparable. A lower limit above the upper one means: outside of the two. */
function ordered(order: (value: unknown) => number | bigint): Readonly<Record<string, RuleMaker>> {
  const range = (limit: Limit): RuleMaker => {
    const { text, holds } = LIMITS[limit];
    return (parameter, rules) => {
      const bound = order(parameter);
      const other = OPPOSITE[limit].find((name) => rules[name] !== undefined);
      const otherBound = other === undefined ? undefined : order(rules[other]);
      const isLower = limit.startsWith('g');
      const outside = otherBound !== undefined && (isLower ? bound >= otherBound : bound <= otherBound);
      return (value) => {
        const v = order(value);
        if (holds(v, bound)) return undefined;
        if (outside && other && otherBound !== undefined && LIMITS[other].holds(v, otherBound)) return undefined;
        return `must be ${text} ${String(parameter)}`;
      };
    };
  };
  return { ...membership(order), gt: range('gt'), gte: range('gte'), lt: range('lt'), lte: range('lte') };
}

const NUMBERS = ordered(Number);
const BIG_NUMBERS = ordered((value) => BigInt(value as string | number));

function nanoseconds(parse: typeof parseDuration): (value: unknown) => bigint {
  return (value) => {
    const { seconds, nanos } = parse(String(value)) ?? { seconds: 0, nanos: 0 };
    return BigInt(seconds) * 1_000_000_000n + BigInt(nanos);
  };
}

/** Sizes of strings, byte strings, lists and maps. */
function sizes(
  names: { readonly exact?: string; readonly min: string; readonly max: string },
  unit: string,
  sizeOf: (value: unknown) => number,
): Readonly<Record<string, RuleMaker>> {
  return {
    ...(names.exact && {
      [names.exact]: (n: JsonValue) => (value: unknown) =>
        sizeOf(value) === Number(n) ? undefined : `must have ${String(n)} ${unit}`,
    }),
    [names.min]: (n) => (value) => (sizeOf(value) >= Number(n) ? undefined : `must have at least ${String(n)} ${unit}`),
    [names.max]: (n) => (value) => (sizeOf(value) <= Number(n) ? undefined : `must have at most ${String(n)} ${unit}`),
  };
}

function textRule(
  describe: (parameter: string) => string,
  holds: (text: string, parameter: string) => boolean,
): RuleMaker {
  return (parameter) => (value) =>
    holds(String(value), String(parameter)) ? undefined : `must ${describe(JSON.stringify(parameter))}`;
}

const pattern: RuleMaker = (parameter) => {
  const regex = new RegExp(String(parameter), 'u');
  return (value) => (regex.test(String(value)) ? undefined : `must match ${String(parameter)}`);
};

const STRINGS: Readonly<Record<string, RuleMaker>> = {
  ...membership(String),
  ...sizes({ exact: 'len', min: 'minLen', max: 'maxLen' }, 'characters', (value) => [...String(value)].length),
  ...sizes({ exact: 'lenBytes', min: 'minBytes', max: 'maxBytes' }, 'bytes', (value) =>
    Buffer.byteLength(String(value)),
  ),
  pattern,
  prefix: textRule(
    (text) => `begin with ${text}`,
    (text, part) => text.startsWith(part),
  ),
  suffix: textRule(
    (text) => `end with ${text}`,
    (text, part) => text.endsWith(part),
  ),
  contains: textRule(
    (text) => `contain ${text}`,
    (text, part) => text.includes(part),
  ),
  notContains: textRule(
    (text) => `not contain ${text}`,
    (text, part) => !text.includes(part),
  ),
  wellKnownRegex: (regex, rules) => {
    const allowed = headerPattern(String(regex), rules['strict'] !== false);
    const what = regex === 'HTTP_HEADER_NAME' ? 'the name' : 'the value';
    return (value) => (allowed.test(String(value)) ? undefined : `is not valid as ${what} of an HTTP header`);
  },
  ...Object.fromEntries(
    Object.entries(FORMATS).map(([name, { what, test }]): [string, RuleMaker] => [
      name,
      () => (value) => (test(String(value)) ? undefined : `must be ${what}`),
    ]),
  ),
};

const decoded = (value: unknown): Buffer => Buffer.from(String(value), 'base64');

const TIMES = ordered(nanoseconds(parseTimestamp));

const MAKERS: Readonly<Record<string, Readonly<Record<string, RuleMaker>>>> = {
  double: NUMBERS,
  float: NUMBERS,
  int32: NUMBERS,
  uint32: NUMBERS,
  sint32: NUMBERS,
  fixed32: NUMBERS,
  sfixed32: NUMBERS,
  int64: BIG_NUMBERS,
  uint64: BIG_NUMBERS,
  sint64: BIG_NUMBERS,
  fixed64: BIG_NUMBERS,
  sfixed64: BIG_NUMBERS,
  bool: { const: membership((value) => value).const },
  string: STRINGS,
  bytes: {
    ...membership(String),
    ...sizes({ exact: 'len', min: 'minLen', max: 'maxLen' }, 'bytes', (value) => decoded(value).length),
  },
  duration: ordered(nanoseconds(parseDuration)),
  timestamp: TIMES,
  any: {
    in: membership((value) => (typeof value === 'string' ? value : (value as JsonObject)['@type'])).in,
    notIn: membership((value) => (typeof value === 'string' ? value : (value as JsonObject)['@type'])).notIn,
  },
  repeated: sizes({ min: 'minItems', max: 'maxItems' }, 'items', (value) => (value as readonly unknown[]).length),
  map: sizes({ min: 'minPairs', max: 'maxPairs' }, 'entries', (value) => Object.keys(value as object).length),
};
