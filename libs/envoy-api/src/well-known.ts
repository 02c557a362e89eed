import type { Scalar } from './schema.ts';

/** Messages that only give a scalar presence; in JSON they are the plain value. */
export const WRAPPERS: ReadonlyMap<string, Scalar> = new Map([
  ['google.protobuf.BoolValue', 'bool'],
  ['google.protobuf.BytesValue', 'bytes'],
  ['google.protobuf.DoubleValue', 'double'],
  ['google.protobuf.FloatValue', 'float'],
  ['google.protobuf.Int32Value', 'int32'],
  ['google.protobuf.Int64Value', 'int64'],
  ['google.protobuf.StringValue', 'string'],
  ['google.protobuf.UInt32Value', 'uint32'],
  ['google.protobuf.UInt64Value', 'uint64'],
]);

/** The enum whose one value is null in JSON. */
export const NULL_VALUE = 'google.protobuf.NullValue';

const WELL_KNOWN: ReadonlySet<string> = new Set([
  ...WRAPPERS.keys(),
  'google.protobuf.Any',
  'google.protobuf.Duration',
  'google.protobuf.Empty',
  'google.protobuf.FieldMask',
  'google.protobuf.ListValue',
  'google.protobuf.Struct',
  'google.protobuf.Timestamp',
  'google.protobuf.Value',
]);

/** Whether an Any holds that message as `{ '@type', value }`. */
export function isWellKnown(name: string): boolean {
  return WELL_KNOWN.has(name);
}
