import type { Scalar } from '../schema.ts';
import type { Reader } from '../wire/reader.ts';
import { shortestFloat } from './float.ts';

/** Reads one value into its protobuf JSON form. */
export type ValueReader = (reader: Reader) => unknown;

const READERS: Readonly<Record<Scalar, ValueReader>> = {
  double: (reader) => floatJson(reader.double()),
  float: (reader) => floatJson(shortestFloat(reader.float())),
  int32: (reader) => reader.uint32() | 0,
  uint32: (reader) => reader.uint32(),
  sint32: (reader) => {
    const n = reader.uint32();
    return (n >>> 1) ^ -(n & 1);
  },
  fixed32: (reader) => reader.fixed32(),
  sfixed32: (reader) => reader.fixed32() | 0,
  int64: (reader) => String(BigInt.asIntN(64, reader.uint64())),
  uint64: (reader) => String(reader.uint64()),
  sint64: (reader) => {
    const n = reader.uint64();
    return String((n >> 1n) ^ -(n & 1n));
  },
  fixed64: (reader) => String(reader.fixed64()),
  sfixed64: (reader) => String(BigInt.asIntN(64, reader.fixed64())),
  bool: (reader) => reader.int64Number() !== 0,
  string: (reader) => reader.string(),
  bytes: (reader) => reader.bytes().toString('base64'),
};

export function scalarReader(scalar: Scalar): ValueReader {
  return READERS[scalar];
}

/** JSON has no NaN and infinities; protobuf JSON writes them as strings. */
function floatJson(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}
