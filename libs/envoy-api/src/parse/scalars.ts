import { describe } from '../codec/scalar-writers.ts';
import { shortestFloat } from '../codec/float.ts';
import type { EnumType, Scalar } from '../schema.ts';
import { NULL_VALUE } from '../well-known.ts';
import { nearest } from './nearest.ts';

/** A value in canonical form, or what is wrong with the input. */
export type Parsed = { readonly value: unknown } | { readonly error: string };

/** Numbers may be strings, integers may be written as 1.0, bytes in either alphabet of base64. */
export function parseScalar(scalar: Scalar, input: unknown): Parsed {
  const value = PARSERS[scalar](input);
  return value === undefined ? { error: `${describe(input)} is not ${NAMES[scalar]}` } : { value };
}

/** Names, or numbers; numbers without a name stay numbers. */
export function parseEnum(type: EnumType, input: unknown): Parsed {
  if (type.name === NULL_VALUE && (input === null || input === 'NULL_VALUE')) return { value: null };
  const number =
    typeof input === 'string' ? (type.numbers.get(input) ?? integer(input, -(2 ** 31), 2 ** 31 - 1)) : input;
  if (Number.isInteger(number)) return { value: type.names.get(number as number) ?? number };
  const suggestion = typeof input === 'string' ? nearest(input, type.numbers.keys()) : undefined;
  const hint = suggestion ? `; did you mean ${suggestion}?` : '';
  return { error: `${describe(input)} is not a value of ${type.name}${hint}` };
}

/** Gives undefined for input that isn't of the type. */
type Parser = (input: unknown) => string | number | boolean | undefined;

const signed32: Parser = (input) => integer(input, -(2 ** 31), 2 ** 31 - 1);
const unsigned32: Parser = (input) => integer(input, 0, 2 ** 32 - 1);
const signed64: Parser = (input) => integer64(input, BigInt.asIntN);
const unsigned64: Parser = (input) => integer64(input, BigInt.asUintN);

const PARSERS: Readonly<Record<Scalar, Parser>> = {
  double: (input) => float(input, (n) => n),
  float: (input) => float(input, (n) => shortestFloat(Math.fround(n))),
  int32: signed32,
  sint32: signed32,
  sfixed32: signed32,
  uint32: unsigned32,
  fixed32: unsigned32,
  int64: signed64,
  sint64: signed64,
  sfixed64: signed64,
  uint64: unsigned64,
  fixed64: unsigned64,
  bool: (input) => (typeof input === 'boolean' ? input : undefined),
  string: (input) => (typeof input === 'string' && input.isWellFormed() ? input : undefined),
  bytes: base64,
};

const NAMES: Readonly<Record<Scalar, string>> = {
  double: 'a number',
  float: 'a 32-bit floating point number',
  int32: 'a 32-bit integer',
  sint32: 'a 32-bit integer',
  sfixed32: 'a 32-bit integer',
  uint32: 'an unsigned 32-bit integer',
  fixed32: 'an unsigned 32-bit integer',
  int64: 'a 64-bit integer',
  sint64: 'a 64-bit integer',
  sfixed64: 'a 64-bit integer',
  uint64: 'an unsigned 64-bit integer',
  fixed64: 'an unsigned 64-bit integer',
  bool: 'true or false',
  string: 'a string',
  bytes: 'base64',
};

function toNumber(input: unknown): number | undefined {
  if (typeof input === 'number') return input;
  return typeof input === 'string' && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(input) ? Number(input) : undefined;
}

function integer(input: unknown, min: number, max: number): number | undefined {
  const number = toNumber(input);
  return number !== undefined && Number.isInteger(number) && number >= min && number <= max ? number + 0 : undefined;
}

function integer64(input: unknown, wrap: (bits: number, value: bigint) => bigint): string | undefined {
  const isText = typeof input === 'string' && /^-?\d+$/.test(input);
  const number = isText || typeof input === 'bigint' ? input : toNumber(input);
  if (number === undefined || (typeof number === 'number' && !Number.isSafeInteger(number))) return undefined;
  const value = BigInt(number);
  return wrap(64, value) === value ? String(value) : undefined;
}

function float(input: unknown, round: (n: number) => number): number | string | undefined {
  if (input === 'NaN' || input === 'Infinity' || input === '-Infinity') return input;
  const number = toNumber(input);
  if (number === undefined) return undefined;
  const rounded = round(number);
  if (Number.isFinite(number) && !Number.isFinite(rounded)) return undefined;
  return Number.isFinite(rounded) ? rounded : String(rounded);
}

function base64(input: unknown): string | undefined {
  if (input instanceof Uint8Array) return Buffer.from(input).toString('base64');
  if (typeof input !== 'string' || !/^[\w+/-]*={0,2}$/.test(input)) return undefined;
  return Buffer.from(input, 'base64').toString('base64');
}
