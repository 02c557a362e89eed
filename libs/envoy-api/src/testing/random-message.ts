import fc from 'fast-check';
import { shortestFloat } from '../codec/float.ts';
import { formatDuration, formatTimestamp } from '../codec/time.ts';
import { schema, typeUrl } from '../registry.ts';
import { defaultOf } from '../schema.ts';
import type { Field, MessageType, Scalar, ValueType } from '../schema.ts';
import { isWellKnown, NULL_VALUE, WRAPPERS } from '../well-known.ts';

type Pick = fc.GeneratorValue;

/** A message of that type in canonical form, with a few of its fields set, nested at most `depth` deep. */
export function randomMessage(pick: Pick, type: MessageType, depth: number): unknown {
  const wellKnown = WELL_KNOWN[type.name];
  if (wellKnown) return wellKnown(pick, depth);
  const wrapped = WRAPPERS.get(type.name);
  if (wrapped) return pick(scalarOf, wrapped);
  const fields = type.fields.filter((f) => depth > 0 || isLeaf(f));
  const chosen = pick(subset, fields.length).map((i) => fields[i] as Field);
  const message: Record<string, unknown> = {};
  const oneofs = new Set<string>();
  for (const field of chosen) {
    if (field.oneof !== undefined && oneofs.has(field.oneof)) continue;
    const value = randomField(pick, field, depth - 1);
    if (
      value === undefined ||
      (!field.presence && field.cardinality === 'singular' && value === defaultOf(field.value))
    )
      continue;
    if (field.oneof !== undefined) oneofs.add(field.oneof);
    message[field.json] = value;
  }
  return message;
}

// `pick` compares the arguments of arbitraries, so those below are made from plain values only.
const scalarOf = (scalar: Scalar): fc.Arbitrary<unknown> => SCALARS[scalar];
const keyOf = (scalar: Scalar): fc.Arbitrary<unknown> => (scalar === 'string' ? keys : SCALARS[scalar]);
const indexBelow = (length: number): fc.Arbitrary<number> => fc.nat({ max: length - 1 });
const subset = (length: number): fc.Arbitrary<number[]> =>
  fc.subarray([...Array(length).keys()], { maxLength: Math.min(4, length) });

function isLeaf({ value }: Field): boolean {
  return value.kind !== 'message' || WRAPPERS.has(value.message().name);
}

function randomField(pick: Pick, field: Field, depth: number): unknown {
  const size = pick(fc.integer, { min: 1, max: 3 });
  switch (field.cardinality) {
    case 'singular':
      return randomValue(pick, field.value, depth);
    case 'repeated':
      return Array.from({ length: size }, () => randomValue(pick, field.value, depth));
    case 'map':
      return Object.fromEntries(
        Array.from({ length: size }, () => [String(pick(keyOf, field.key)), randomValue(pick, field.value, depth)]),
      );
  }
}

function randomValue(pick: Pick, value: ValueType, depth: number): unknown {
  switch (value.kind) {
    case 'scalar':
      return pick(scalarOf, value.scalar);
    case 'enum': {
      if (value.enum().name === NULL_VALUE) return null;
      const names = [...value.enum().names.values()];
      return names[pick(indexBelow, names.length)];
    }
    case 'message':
      return randomMessage(pick, value.message(), depth);
  }
}

const integers = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });
const signed32 = integers(-(2 ** 31), 2 ** 31 - 1);
const unsigned32 = integers(0, 2 ** 32 - 1);
const signed64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
const unsigned64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
const text = fc.string({ unit: 'binary', maxLength: 60 });
const positive = (n: number): number => (n === 0 ? 0 : n);

const SCALARS: Readonly<Record<Scalar, fc.Arbitrary<unknown>>> = {
  double: fc.double({ noNaN: true, noDefaultInfinity: true }).map(positive),
  float: fc.float({ noNaN: true, noDefaultInfinity: true }).map((n) => positive(shortestFloat(n))),
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
  bool: fc.boolean(),
  string: text,
  bytes: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('base64')),
};

const keys = text.filter((key) => key !== '__proto__');
const json = (): fc.Arbitrary<unknown> =>
  fc
    .json({ maxDepth: 3 })
    .filter((written) => !written.includes('__proto__'))
    .map((written) => JSON.parse(written.replaceAll('-0', '0')) as unknown);
const jsonList = (): fc.Arbitrary<unknown[]> => fc.array(json(), { maxLength: 3 });
const jsonObject = (): fc.Arbitrary<object> => fc.dictionary(keys, json(), { maxKeys: 3, noNullPrototype: true });
const seconds = (): fc.Arbitrary<number> => integers(0, 2 ** 33);
const nanos = (): fc.Arbitrary<number> => integers(0, 999_999_999);
const fieldMask = (): fc.Arbitrary<string> => fc.constantFrom('', 'name', 'fooBar,baz.quxQuux');

const WELL_KNOWN: Readonly<Record<string, (pick: Pick, depth: number) => unknown>> = {
  'google.protobuf.Duration': (pick) => {
    const sign = pick(fc.boolean) ? 1 : -1;
    return formatDuration({ seconds: sign * pick(seconds), nanos: sign * pick(nanos) });
  },
  'google.protobuf.Timestamp': (pick) => formatTimestamp({ seconds: pick(seconds), nanos: pick(nanos) }),
  // The one message with required fields.
  'google.protobuf.UninterpretedOption.NamePart': () => ({ namePart: 'name', isExtension: false }),
  'google.protobuf.FieldMask': (pick) => pick(fieldMask),
  'google.protobuf.Struct': (pick) => pick(jsonObject),
  'google.protobuf.ListValue': (pick) => pick(jsonList),
  'google.protobuf.Value': (pick) => pick(json),
  'google.protobuf.Any': (pick, depth) => {
    const names = schema().messageNames();
    const type = schema().message(names[pick(indexBelow, names.length)] ?? '');
    if (!type || type.name === 'google.protobuf.Any') return {};
    const message = randomMessage(pick, type, depth - 1);
    const url = { '@type': typeUrl(type.name) };
    return isWellKnown(type.name) ? { ...url, value: message } : { ...url, ...(message as object) };
  },
};
