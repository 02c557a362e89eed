import { isRawMessage, unknownFields } from '../message.ts';
import { messageType } from '../registry.ts';
import type { EnumType, Field, MessageType, Scalar, ValueType } from '../schema.ts';
import { WireType, scalarWireType, tagOf, wireTypeOf } from '../wire/wire-type.ts';
import { Writer } from '../wire/writer.ts';
import { describe, enumNumber, isDefaultScalar, scalarWriter } from './scalar-writers.ts';
import type { FieldWriter } from './scalar-writers.ts';
import { wellKnownEncoder } from './well-known-encoders.ts';

/** Writes the content of a message, without tag and length. */
export type Encoder = (writer: Writer, value: unknown) => void;

interface Member {
  readonly number: number;
  readonly json: string;
  readonly write: FieldWriter;
}

const scratch = new Writer();
const encoders = new Map<MessageType, Encoder>();

/** Encodes a message in protobuf JSON form. Equal messages give equal bytes, whatever the order of their members. */
export function encodeMessage(name: string, message: unknown): Uint8Array {
  try {
    encoderOf(messageType(name))(scratch, message);
    return scratch.finish();
  } catch (error) {
    scratch.reset();
    throw error;
  }
}

function encoderOf(type: MessageType): Encoder {
  let encoder = encoders.get(type);
  if (!encoder) {
    encoder = wellKnownEncoder(type.name, encoderOf) ?? compile(type);
    encoders.set(type, encoder);
  }
  return encoder;
}

function compile(type: MessageType): Encoder {
  const members = new Map<string, Member>(
    type.fields.map((f) => [f.json, { number: f.number, json: f.json, write: fieldWriter(f) }]),
  );
  return (writer, message) => {
    if (!isRawMessage(message)) throw new TypeError(`${type.name}: ${describe(message)} is not a message`);
    const unknown = message[unknownFields];
    if (unknown) writer.raw(unknown);
    const present: Member[] = [];
    for (const key in message) {
      if (message[key] === undefined || key === '@type') continue;
      const member = members.get(key);
      if (!member) throw new TypeError(`${type.name} has no field ${key}`);
      insertDescending(present, member);
    }
    for (const member of present) {
      member.write(writer, message[member.json]);
    }
  };
}

/** Messages have few members, mostly in order already: an insertion sort. */
function insertDescending(members: Member[], member: Member): void {
  let at = members.length;
  while (at > 0 && (members[at - 1] as Member).number < member.number) {
    members[at] = members[at - 1] as Member;
    at--;
  }
  members[at] = member;
}

function fieldWriter(field: Field): FieldWriter {
  switch (field.cardinality) {
    case 'map':
      return mapWriter(field);
    case 'repeated':
      return field.packed ? packedWriter(field) : repeatedWriter(field);
    case 'singular':
      return singularWriter(field);
  }
}

function singularWriter(field: Field): FieldWriter {
  const write = valueWriter(field.value, field.name);
  const tag = tagOf(field.number, wireTypeOf(field.value));
  if (field.presence) {
    return (writer, value) => {
      write(writer, value);
      writer.uint32(tag);
    };
  }
  const isDefault = defaultTest(field.value);
  return (writer, value) => {
    if (isDefault(value)) return;
    write(writer, value);
    writer.uint32(tag);
  };
}

function repeatedWriter(field: Field): FieldWriter {
  const write = valueWriter(field.value, field.name);
  const tag = tagOf(field.number, wireTypeOf(field.value));
  return (writer, value) => {
    const list = listOf(value, field);
    for (let i = list.length - 1; i >= 0; i--) {
      write(writer, list[i]);
      writer.uint32(tag);
    }
  };
}

function packedWriter(field: Field): FieldWriter {
  const write = valueWriter(field.value, field.name);
  const tag = tagOf(field.number, WireType.delimited);
  return (writer, value) => {
    const list = listOf(value, field);
    if (list.length === 0) return;
    const before = writer.length;
    for (let i = list.length - 1; i >= 0; i--) write(writer, list[i]);
    writer.uint32(writer.length - before);
    writer.uint32(tag);
  };
}

function mapWriter(field: Field): FieldWriter {
  const writeKey = scalarWriter(field.key, field.name);
  const writeValue = valueWriter(field.value, field.name);
  const keyTag = tagOf(1, scalarWireType(field.key));
  const valueTag = tagOf(2, wireTypeOf(field.value));
  const tag = tagOf(field.number, WireType.delimited);
  const toKey = keyParser(field.key);
  return (writer, value) => {
    if (!isRawMessage(value)) throw new TypeError(`${field.name}: ${describe(value)} is not a map`);
    for (const key of Object.keys(value).sort().reverse()) {
      const before = writer.length;
      writeValue(writer, value[key]);
      writer.uint32(valueTag);
      writeKey(writer, toKey(key));
      writer.uint32(keyTag);
      writer.uint32(writer.length - before);
      writer.uint32(tag);
    }
  };
}

function keyParser(key: Scalar): (text: string) => unknown {
  if (key === 'string' || key.endsWith('64')) return (text) => text;
  return key === 'bool' ? (text) => text === 'true' : Number;
}

function listOf(value: unknown, field: Field): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError(`${field.name}: ${describe(value)} is not a list`);
  return value;
}

/** Tells values that proto3 fields without presence don't write. */
function defaultTest(value: ValueType): (v: unknown) => boolean {
  if (value.kind === 'enum') return (v) => enumNumber(value.enum(), v) === 0;
  if (value.kind === 'message') return () => false;
  return (v) => isDefaultScalar(v, value.scalar);
}

/** Writes a value with its length where it has one, without its tag. */
function valueWriter(value: ValueType, fieldName: string): FieldWriter {
  switch (value.kind) {
    case 'scalar':
      return scalarWriter(value.scalar, fieldName);
    case 'enum':
      return enumWriter(value.enum, fieldName);
    case 'message':
      return nestedWriter(value.message);
  }
}

function nestedWriter(type: () => MessageType): FieldWriter {
  let encoder: Encoder | undefined;
  return (writer, value) => {
    encoder ??= encoderOf(type());
    const before = writer.length;
    encoder(writer, value);
    writer.uint32(writer.length - before);
  };
}

function enumWriter(type: () => EnumType, fieldName: string): FieldWriter {
  return (writer, value) => {
    const number = enumNumber(type(), value);
    if (number === undefined) throw new TypeError(`${fieldName}: ${describe(value)} is not a ${type().name}`);
    writer.int32(number);
  };
}
