import type { EnumType, Scalar } from '../schema.ts';
import { NULL_VALUE } from '../well-known.ts';
import type { Writer } from '../wire/writer.ts';

/** Writes one value, checked for its type. */
export type FieldWriter = (writer: Writer, value: unknown) => void;

type ScalarWriters = Readonly<Record<Scalar, (writer: Writer, value: unknown, fieldName: string) => void>>;

const WRITERS: ScalarWriters = {
  double: (writer, value, field) => writer.double(toFloat(value, field)),
  float: (writer, value, field) => writer.float(toFloat(value, field)),
  int32: (writer, value, field) => writer.int32(toInteger(value, -(2 ** 31), 2 ** 31 - 1, field)),
  uint32: (writer, value, field) => writer.uint32(toInteger(value, 0, 2 ** 32 - 1, field)),
  sint32: (writer, value, field) => {
    const n = toInteger(value, -(2 ** 31), 2 ** 31 - 1, field);
    writer.uint32(((n << 1) ^ (n >> 31)) >>> 0);
  },
  fixed32: (writer, value, field) => writer.fixed32(toInteger(value, 0, 2 ** 32 - 1, field)),
  sfixed32: (writer, value, field) => writer.fixed32(toInteger(value, -(2 ** 31), 2 ** 31 - 1, field)),
  int64: (writer, value, field) => writer.int64(toSigned(value, field)),
  uint64: (writer, value, field) => writer.int64(toUnsigned(value, field)),
  sint64: (writer, value, field) => {
    const n = toSigned(value, field);
    writer.int64((n << 1n) ^ (n >> 63n));
  },
  fixed64: (writer, value, field) => writer.fixed64(toUnsigned(value, field)),
  sfixed64: (writer, value, field) => writer.fixed64(toSigned(value, field)),
  bool: (writer, value, field) => {
    if (typeof value !== 'boolean') throw new TypeError(`${field}: ${describe(value)} is not a bool`);
    writer.uint32(value ? 1 : 0);
  },
  string: (writer, value, field) => {
    if (typeof value !== 'string') throw new TypeError(`${field}: ${describe(value)} is not a string`);
    writer.string(value);
  },
  bytes: (writer, value, field) => {
    if (typeof value === 'string') writer.bytes(Buffer.from(value, 'base64'));
    else if (value instanceof Uint8Array) writer.bytes(value);
    else throw new TypeError(`${field}: ${describe(value)} is not base64`);
  },
};

/** The writer of a scalar; `fieldName` is for its errors. */
export function scalarWriter(scalar: Scalar, fieldName: string): FieldWriter {
  const write = WRITERS[scalar];
  return (writer, value) => write(writer, value, fieldName);
}

/** Whether a valid value of a scalar field is the default of its type. */
export function isDefaultScalar(value: unknown, scalar: Scalar): boolean {
  if (scalar === 'string') return value === '';
  if (scalar.endsWith('64')) return value === '0' || value === 0 || value === 0n;
  return value === 0 || value === false || value === '' || (value instanceof Uint8Array && value.length === 0);
}

export function enumNumber(type: EnumType, value: unknown): number | undefined {
  if (value === null && type.name === NULL_VALUE) return 0;
  if (typeof value === 'string') return type.numbers.get(value);
  return Number.isInteger(value) ? (value as number) : undefined;
}

/** A value for an error text, cut short. */
export function describe(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

const SPECIAL_FLOATS: Readonly<Record<string, number>> = { NaN: NaN, Infinity: Infinity, '-Infinity': -Infinity };

function toFloat(value: unknown, field: string): number {
  const number = typeof value === 'string' ? SPECIAL_FLOATS[value] : value;
  if (typeof number !== 'number') throw new TypeError(`${field}: ${describe(value)} is not a number`);
  return number;
}

function toInteger(value: unknown, min: number, max: number, field: string): number {
  if (!Number.isInteger(value) || (value as number) < min || (value as number) > max) {
    throw new TypeError(`${field}: ${describe(value)} is not an integer from ${min} to ${max}`);
  }
  return value as number;
}

function toSigned(value: unknown, field: string): bigint {
  const number = toBigInt(value, field);
  if (BigInt.asIntN(64, number) !== number) throw new TypeError(`${field}: ${number} is not a signed 64-bit integer`);
  return number;
}

function toUnsigned(value: unknown, field: string): bigint {
  const number = toBigInt(value, field);
  if (BigInt.asUintN(64, number) !== number)
    throw new TypeError(`${field}: ${number} is not an unsigned 64-bit integer`);
  return number;
}

function toBigInt(value: unknown, field: string): bigint {
  if (typeof value === 'bigint') return value;
  const isInteger = typeof value === 'string' ? /^-?\d+$/.test(value) : Number.isSafeInteger(value);
  if (!isInteger) throw new TypeError(`${field}: ${typeof value} ${String(value)} is not a 64-bit integer`);
  return BigInt(value as string | number);
}
