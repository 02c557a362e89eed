import { FunctionError } from '../exec/template-error.ts';
import { bytesText, formatValue } from '../format/value.ts';
import { parseFloat64, parseInteger } from '../syntax/number.ts';
import { types, type Kind } from '../value/type.ts';
import { GoList, GoStruct, integerOf, typeOf, type Value } from '../value/value.ts';

const minInt = -(2n ** 63n);
const maxInt = 2n ** 63n - 1n;

/** What Go's runtime stops a function with. */
export const runtimeError = (message: string): FunctionError => new FunctionError(`runtime error: ${message}`);

export const nilDereference = (): FunctionError => runtimeError('invalid memory address or nil pointer dereference');

export const kindOf = (value: Value): Kind => typeOf(value)?.kind ?? 'invalid';

const floatToInt = (value: number): bigint =>
  Number.isFinite(value) && Math.abs(value) < 2 ** 63 ? BigInt(Math.trunc(value)) : minInt;

const textToInt = (text: string): bigint => {
  const value = parseInteger(text.replace(/\.0+$/, '')) ?? 0n;
  return value >= minInt && value <= maxInt ? value : 0n;
};

/** Any value as an int64; 0 where it isn't one. */
export const toInt64 = (value: Value): bigint => {
  if (typeof value === 'number') return floatToInt(value);
  if (typeof value === 'string') return textToInt(value);
  if (typeof value === 'boolean') return value ? 1n : 0n;
  return BigInt.asIntN(64, integerOf(value) ?? 0n);
};

/** Any value as a count or an offset. */
export const toInt = (value: Value): number => Number(toInt64(value));

const special: Readonly<Record<string, number>> = { nan: NaN, inf: Infinity, infinity: Infinity };

const textToFloat = (text: string): number => {
  const word = special[text.replace(/^[+-]/, '').toLowerCase()];
  if (word !== undefined) return text.startsWith('-') ? -word : word;
  return parseFloat64(text) ?? 0;
};

/** Any value as a float64; 0 where it isn't one. */
export const toFloat64 = (value: Value): number => {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return textToFloat(value);
  if (typeof value === 'boolean') return value ? 1 : 0;
  return Number(integerOf(value) ?? 0n);
};

/** Any value as text. */
export const toText = (value: Value): string => {
  if (typeof value === 'string') return value;
  if (value instanceof GoList && value.type.elem === types.byte) return bytesText(value);
  if (value instanceof GoStruct) return value.toText() ?? formatValue(value, 'v');
  return formatValue(value, 'v');
};

const isNil = (value: Value): boolean => value === null || value === undefined;

/** Any value as a list of texts: items without the nil ones, or the value alone. */
export const toTexts = (value: Value): readonly string[] => {
  if (value instanceof GoList) return value.items.filter((item) => !isNil(item)).map(toText);
  return isNil(value) ? [] : [toText(value)];
};

/** The items of a list; `refusal` is how the error for anything else begins. */
export const itemsOf = (value: Value, refusal: string): readonly Value[] => {
  if (value instanceof GoList) return value.items;
  if (isNil(value)) throw nilDereference();
  throw new FunctionError(`${refusal} ${kindOf(value)}`);
};
