import { canBackquote, isPrint, quote, quoteRune } from '../text/quote.ts';
import { utf8Encode } from '../text/utf8.ts';
import { formatFloat, type FloatVerb } from './float.ts';
import { pad, truncate, type Spec } from './spec.ts';

/** The verbs of single values; undefined means that the verb isn't one of the type's. */
type Formatted = string | undefined;

export const formatBool = (value: boolean, verb: string, spec: Spec): Formatted =>
  verb === 't' || verb === 'v' ? pad(String(value), spec) : undefined;

const bases: Readonly<Record<string, number>> = { v: 10, d: 10, b: 2, o: 8, O: 8, x: 16, X: 16 };

const prefix = (verb: string, digits: string, sharp: boolean): string => {
  if (verb === 'O') return `0o${sharp && !digits.startsWith('0') ? '0' : ''}`;
  if (!sharp) return '';
  return { b: '0b', o: digits.startsWith('0') ? '' : '0', x: '0x', X: '0X' }[verb] ?? '';
};

const formatDigits = (value: bigint, verb: string, base: number, spec: Spec): string => {
  if (spec.precision === 0 && value === 0n) return ' '.repeat(spec.width ?? 0);
  const sign = value < 0n ? '-' : spec.plus ? '+' : spec.space ? ' ' : '';
  const zeros = spec.zero && !spec.minus && spec.width !== undefined ? spec.width - sign.length : 0;
  let digits = (value < 0n ? -value : value).toString(base).padStart(spec.precision ?? zeros, '0');
  if (verb === 'X') digits = digits.toUpperCase();
  return pad(sign + prefix(verb, digits, spec.sharp) + digits, { ...spec, zero: false });
};

const runeOf = (value: bigint): string =>
  value >= 0n && value <= 0x10ffffn && !(value >= 0xd800n && value <= 0xdfffn)
    ? String.fromCodePoint(Number(value))
    : '\ufffd';

const formatUnicode = (value: bigint, spec: Spec): string => {
  const digits = BigInt.asUintN(64, value)
    .toString(16)
    .toUpperCase()
    .padStart(Math.max(spec.precision ?? 4, 4), '0');
  const char = value >= 0n && value <= 0x10ffffn ? String.fromCodePoint(Number(value)) : '';
  return pad(`U+${digits}${spec.sharp && isPrint(char) ? ` '${char}'` : ''}`, { ...spec, zero: false });
};

export const formatInteger = (value: bigint, unsigned: boolean, verb: string, spec: Spec): Formatted => {
  const base = bases[verb];
  if (verb === 'v' && spec.sharpV && unsigned) return formatDigits(value, 'x', 16, { ...spec, sharp: true });
  if (base !== undefined) return formatDigits(value, verb, base, spec);
  if (verb === 'c') return pad(runeOf(value), spec);
  if (verb === 'q') return pad(quoteRune(runeOf(value), spec.plus), spec);
  return verb === 'U' ? formatUnicode(value, spec) : undefined;
};

/** The verb of strconv and the precision where the format has none. */
const floatVerbs: Readonly<Record<string, readonly [FloatVerb, number]>> = {
  v: ['g', -1],
  g: ['g', -1],
  G: ['G', -1],
  b: ['b', -1],
  x: ['x', -1],
  X: ['X', -1],
  e: ['e', 6],
  E: ['E', 6],
  f: ['f', 6],
  F: ['f', 6],
};

/** The `#` flag: always a decimal point, and for %g the trailing zeros. */
const withPoint = (unsigned: string, verb: FloatVerb, precision: number): string => {
  const split = verb === 'x' || verb === 'X' ? /^(.*?)([pP].*)?$/ : /^(.*?)([eE].*)?$/;
  const [, number = '', tail = ''] = split.exec(unsigned) ?? [];
  let missing = verb === 'g' || verb === 'G' || verb === 'x' ? (precision < 0 ? 6 : precision) : 0;
  missing -= number.replace('.', '').replace(/^0+/, '').length;
  if (number === '0') missing--;
  return (number.includes('.') ? number : `${number}.`) + '0'.repeat(Math.max(missing, 0)) + tail;
};

export const formatNumber = (value: number, verb: string, spec: Spec): Formatted => {
  const known = floatVerbs[verb];
  if (known === undefined) return undefined;
  const [floatVerb, usual] = known;
  const precision = spec.precision ?? usual;
  const text = formatFloat(value, floatVerb, precision);
  const sign = /^[+-]/.test(text) ? text.charAt(0) : '+';
  let unsigned = text.replace(/^[+-]/, '');
  const shownSign = sign === '-' || spec.plus ? sign : spec.space ? ' ' : '';
  if (Number.isNaN(value))
    return pad(spec.plus || spec.space ? shownSign + unsigned : unsigned, { ...spec, zero: false });
  if (!Number.isFinite(value))
    return pad((shownSign || (spec.plus ? '+' : '')) + (shownSign === '' ? '+' : '') + unsigned, {
      ...spec,
      zero: false,
    });
  if (spec.sharp && floatVerb !== 'b') unsigned = withPoint(unsigned, floatVerb, precision);
  if (!spec.zero || spec.minus) return pad(shownSign + unsigned, { ...spec, zero: false });
  return shownSign + pad(unsigned, { ...spec, width: (spec.width ?? 0) - shownSign.length });
};

const formatHex = (text: string, upper: boolean, spec: Spec): string => {
  const bytes = utf8Encode(text).subarray(0, spec.precision);
  const mark = spec.sharp ? (upper ? '0X' : '0x') : '';
  const pairs = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'));
  const digits = upper ? pairs.map((pair) => pair.toUpperCase()) : pairs;
  if (digits.length === 0) return pad('', spec);
  return pad(spec.space ? digits.map((pair) => mark + pair).join(' ') : mark + digits.join(''), spec);
};

const quoted = (text: string, spec: Spec): string => {
  const cut = truncate(text, spec);
  return pad(spec.sharp && canBackquote(cut) ? `\`${cut}\`` : quote(cut, spec.plus), spec);
};

export const formatString = (value: string, verb: string, spec: Spec): Formatted => {
  switch (verb) {
    case 'v':
      return spec.sharpV ? quoted(value, spec) : pad(truncate(value, spec), spec);
    case 's':
      return pad(truncate(value, spec), spec);
    case 'x':
      return formatHex(value, false, spec);
    case 'X':
      return formatHex(value, true, spec);
    case 'q':
      return quoted(value, spec);
    default:
      return undefined;
  }
};
