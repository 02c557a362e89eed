import { isRawMessage, unknownFields } from '../message.ts';
import { typeOfUrl } from '../registry.ts';
import type { MessageType, Scalar } from '../schema.ts';
import { isWellKnown, WRAPPERS } from '../well-known.ts';
import { WireType, scalarWireType, tagOf } from '../wire/wire-type.ts';
import type { Writer } from '../wire/writer.ts';
import { describe, isDefaultScalar, scalarWriter } from './scalar-writers.ts';
import { parseDuration, parseTimestamp } from './time.ts';
import type { SecondsAndNanos } from './time.ts';

type Encoder = (writer: Writer, value: unknown) => void;

/** The encoder of a message whose JSON form isn't an object of its fields. */
export function wellKnownEncoder(name: string, encoderOf: (type: MessageType) => Encoder): Encoder | undefined {
  const wrapped = WRAPPERS.get(name);
  if (wrapped) return wrapperEncoder(wrapped, name);
  switch (name) {
    case 'google.protobuf.Any':
      return anyEncoder(encoderOf);
    case 'google.protobuf.Duration':
      return timeEncoder(parseDuration, 'duration');
    case 'google.protobuf.Timestamp':
      return timeEncoder(parseTimestamp, 'timestamp');
    case 'google.protobuf.FieldMask':
      return encodeFieldMask;
    case 'google.protobuf.Struct':
      return encodeStruct;
    case 'google.protobuf.ListValue':
      return encodeList;
    case 'google.protobuf.Value':
      return encodeValue;
    default:
      return undefined;
  }
}

function wrapperEncoder(scalar: Scalar, name: string): Encoder {
  const write = scalarWriter(scalar, name);
  const tag = tagOf(1, scalarWireType(scalar));
  return (writer, value) => {
    if (isDefaultScalar(value, scalar)) return;
    write(writer, value);
    writer.uint32(tag);
  };
}

const SECONDS = tagOf(1, WireType.varint);
const NANOS = tagOf(2, WireType.varint);

function timeEncoder(parse: (text: string) => SecondsAndNanos | undefined, what: string): Encoder {
  return (writer, value) => {
    const time = typeof value === 'string' ? parse(value) : undefined;
    if (!time) throw new TypeError(`${describe(value)} is not a ${what}`);
    if (time.nanos !== 0) {
      writer.int32(time.nanos);
      writer.uint32(NANOS);
    }
    if (time.seconds === 0) return;
    if (time.seconds > 0 && time.seconds < 2 ** 31) writer.uint32(time.seconds);
    else writer.int64(BigInt(time.seconds));
    writer.uint32(SECONDS);
  };
}

const FIRST = tagOf(1, WireType.delimited);
const SECOND = tagOf(2, WireType.delimited);

function anyEncoder(encoderOf: (type: MessageType) => Encoder): Encoder {
  return (writer, value) => {
    if (!isRawMessage(value)) throw new TypeError(`${describe(value)} is not an Any`);
    const url = value['@type'];
    if (url === undefined && Object.keys(value).length === 0) return;
    if (typeof url !== 'string') throw new TypeError(`${describe(value)} has no @type`);
    const type = typeOfUrl(url);
    const before = writer.length;
    if (type) encoderOf(type)(writer, isWellKnown(type.name) ? value['value'] : value);
    else if (value[unknownFields]) writer.raw(value[unknownFields]);
    else throw new TypeError(`${url} is not a known type`);
    const size = writer.length - before;
    if (size > 0) {
      writer.uint32(size);
      writer.uint32(SECOND);
    }
    writer.string(url);
    writer.uint32(FIRST);
  };
}

function encodeFieldMask(writer: Writer, value: unknown): void {
  if (typeof value !== 'string') throw new TypeError(`${describe(value)} is not a field mask`);
  for (const path of value.split(',').filter(Boolean).reverse()) {
    writer.string(path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
    writer.uint32(FIRST);
  }
}

function encodeStruct(writer: Writer, value: unknown): void {
  if (!isRawMessage(value)) throw new TypeError(`${describe(value)} is not a struct`);
  for (const key of Object.keys(value).sort().reverse()) {
    if (value[key] === undefined) continue;
    const before = writer.length;
    encodeNested(writer, SECOND, encodeValue, value[key]);
    writer.string(key);
    writer.uint32(FIRST);
    writer.uint32(writer.length - before);
    writer.uint32(FIRST);
  }
}

function encodeList(writer: Writer, value: unknown): void {
  if (!Array.isArray(value)) throw new TypeError(`${describe(value)} is not a list`);
  for (let i = value.length - 1; i >= 0; i--) encodeNested(writer, FIRST, encodeValue, value[i]);
}

const VALUE_TAGS = {
  null: tagOf(1, WireType.varint),
  number: tagOf(2, WireType.fixed64),
  string: tagOf(3, WireType.delimited),
  boolean: tagOf(4, WireType.varint),
  struct: tagOf(5, WireType.delimited),
  list: tagOf(6, WireType.delimited),
} as const;

function encodeValue(writer: Writer, value: unknown): void {
  switch (typeof value) {
    case 'string':
      writer.string(value);
      writer.uint32(VALUE_TAGS.string);
      return;
    case 'number':
      writer.double(value);
      writer.uint32(VALUE_TAGS.number);
      return;
    case 'boolean':
      writer.uint32(value ? 1 : 0);
      writer.uint32(VALUE_TAGS.boolean);
      return;
    case 'object':
      if (value === null) {
        writer.uint32(0);
        writer.uint32(VALUE_TAGS.null);
      } else if (Array.isArray(value)) encodeNested(writer, VALUE_TAGS.list, encodeList, value);
      else encodeNested(writer, VALUE_TAGS.struct, encodeStruct, value);
      return;
    default:
      throw new TypeError(`a ${typeof value} is not a JSON value`);
  }
}

function encodeNested(writer: Writer, tag: number, encode: Encoder, value: unknown): void {
  const before = writer.length;
  encode(writer, value);
  writer.uint32(writer.length - before);
  writer.uint32(tag);
}
