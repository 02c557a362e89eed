import { parseFloat64, parseInteger } from '../syntax/number.ts';

/** What a plain scalar is in YAML 1.1, as Go's decoder for Kubernetes has it. */
export type Resolved =
  | { readonly kind: 'null' }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'int'; readonly value: bigint }
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'string' | 'timestamp' };

const words = (value: boolean, ...all: readonly string[]): [string, Resolved][] =>
  all.map((word) => [word, { kind: 'bool', value }]);

const known: ReadonlyMap<string, Resolved> = new Map<string, Resolved>([
  ...words(true, 'y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'),
  ...words(false, 'n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'),
  ...['', '~', 'null', 'Null', 'NULL'].map((word): [string, Resolved] => [word, { kind: 'null' }]),
  ...['.nan', '.NaN', '.NAN'].map((word): [string, Resolved] => [word, { kind: 'float', value: NaN }]),
  ...['.inf', '.Inf', '.INF'].flatMap((word): [string, Resolved][] => [
    [word, { kind: 'float', value: Infinity }],
    [`+${word}`, { kind: 'float', value: Infinity }],
    [`-${word}`, { kind: 'float', value: -Infinity }],
  ]),
]);

const timestamp =
  /^\d{4}-(\d{1,2})-(\d{1,2})(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)| (\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?)?$/;

const isTimestamp = (text: string): boolean => {
  const match = timestamp.exec(text);
  if (match === null) return false;
  const [month, day, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .filter((part) => part !== undefined)
    .map(Number);
  const lastDay = new Date(Date.UTC(Number(text.slice(0, 4)), month!, 0)).getUTCDate();
  return month! >= 1 && month! <= 12 && day! >= 1 && day! <= lastDay && hour < 24 && minute < 60 && second < 60;
};

const text: Resolved = { kind: 'string' };

const number = (scalar: string): Resolved => {
  const plain = scalar.replaceAll('_', '');
  const integer = parseInteger(plain);
  if (integer !== undefined && integer >= -(2n ** 63n) && integer < 2n ** 64n) return { kind: 'int', value: integer };
  if (!/^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/.test(plain)) return text;
  const value = parseFloat64(plain);
  return value === undefined ? text : { kind: 'float', value };
};

export const resolvePlain = (scalar: string): Resolved => {
  const word = known.get(scalar);
  if (word !== undefined) return word;
  if (scalar.startsWith('.')) {
    const value = parseFloat64(scalar);
    return value === undefined ? text : { kind: 'float', value };
  }
  if (!/^[-+0-9]/.test(scalar)) return text;
  return isTimestamp(scalar) ? { kind: 'timestamp' } : number(scalar);
};
