import type { Scalar, ValueType } from '../schema.ts';

/** The low three bits of a tag. */
export const WireType = { varint: 0, fixed64: 1, delimited: 2, startGroup: 3, endGroup: 4, fixed32: 5 } as const;

const SCALAR_WIRE_TYPES: Readonly<Record<Scalar, number>> = {
  double: WireType.fixed64,
  float: WireType.fixed32,
  int32: WireType.varint,
  int64: WireType.varint,
  uint32: WireType.varint,
  uint64: WireType.varint,
  sint32: WireType.varint,
  sint64: WireType.varint,
  fixed32: WireType.fixed32,
  fixed64: WireType.fixed64,
  sfixed32: WireType.fixed32,
  sfixed64: WireType.fixed64,
  bool: WireType.varint,
  string: WireType.delimited,
  bytes: WireType.delimited,
};

export function scalarWireType(scalar: Scalar): number {
  return SCALAR_WIRE_TYPES[scalar];
}

export function wireTypeOf(value: ValueType): number {
  if (value.kind === 'scalar') return scalarWireType(value.scalar);
  return value.kind === 'enum' ? WireType.varint : WireType.delimited;
}

export function tagOf(number: number, wireType: number): number {
  return ((number << 3) | wireType) >>> 0;
}
