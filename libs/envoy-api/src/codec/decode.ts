import { unknownFields } from '../message.ts';
import { messageType } from '../registry.ts';
import { defaultOf, scalarDefault } from '../schema.ts';
import type { EnumType, Field, MessageType, ValueType } from '../schema.ts';
import { Reader } from '../wire/reader.ts';
import { WireType, wireTypeOf } from '../wire/wire-type.ts';
import { NULL_VALUE } from '../well-known.ts';
import { setMember } from './members.ts';
import type { Members } from './members.ts';
import { scalarReader } from './scalar-readers.ts';
import type { ValueReader } from './scalar-readers.ts';
import { wellKnownDecoder } from './well-known-decoders.ts';

/** Reads the content of a message to the end of the reader's current range, adding to `previous` where it has one. */
export type Decoder = (reader: Reader, previous?: unknown) => unknown;

interface Member {
  /** Tells whether the wire type fits; others leave the field unknown. */
  readonly accepts: (wireType: number) => boolean;
  readonly read: (reader: Reader, message: Members, wireType: number) => void;
}

const decoders = new Map<MessageType, Decoder>();

/** Decodes a message into protobuf JSON form. Throws a DecodeError where the bytes are no such message. */
export function decodeMessage(name: string, bytes: Uint8Array): unknown {
  return decoderOf(messageType(name))(new Reader(bytes));
}

function decoderOf(type: MessageType): Decoder {
  let decoder = decoders.get(type);
  if (!decoder) {
    decoder = wellKnownDecoder(type.name, decoderOf) ?? compile(type);
    decoders.set(type, decoder);
  }
  return decoder;
}

function compile(type: MessageType): Decoder {
  const members = new Map<number, Member>();
  for (const field of type.fields) members.set(field.number, memberOf(field, type));
  return (reader, previous) => {
    const message = (previous ?? {}) as Members;
    let unknown: Buffer[] | undefined;
    while (reader.hasMore()) {
      const start = reader.position;
      const tag = reader.uint32();
      const member = members.get(tag >>> 3);
      if (member?.accepts(tag & 7)) member.read(reader, message, tag & 7);
      else {
        reader.skip(tag & 7, tag >>> 3);
        (unknown ??= []).push(reader.since(start));
      }
    }
    if (unknown) message[unknownFields] = concat([message[unknownFields], ...unknown]);
    return message;
  };
}

function concat(parts: readonly (Uint8Array | undefined)[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts.filter((part) => part !== undefined)));
}

function memberOf(field: Field, type: MessageType): Member {
  const wireType = wireTypeOf(field.value);
  switch (field.cardinality) {
    case 'map':
      return { accepts: (w) => w === WireType.delimited, read: mapReader(field) };
    case 'repeated': {
      // Packed and unpacked lists are both read, whatever the field says.
      const packable = wireType !== WireType.delimited;
      return {
        accepts: (w) => w === wireType || (packable && w === WireType.delimited),
        read: repeatedReader(field, packable),
      };
    }
    case 'singular':
      return { accepts: (w) => w === wireType, read: singularReader(field, type) };
  }
}

function singularReader({ json, value, presence, oneof }: Field, type: MessageType): Member['read'] {
  const siblings = type.fields.filter((f) => oneof !== undefined && f.oneof === oneof && f.json !== json);
  if (value.kind === 'message') {
    const read = nestedReader(value.message);
    return (reader, message) => {
      for (const sibling of siblings) delete message[sibling.json];
      message[json] = read(reader, message[json]);
    };
  }
  const read = valueReader(value);
  const absent = presence ? undefined : defaultOf(value);
  return (reader, message) => {
    for (const sibling of siblings) delete message[sibling.json];
    const decoded = read(reader);
    if (decoded === absent) delete message[json];
    else message[json] = decoded;
  };
}

function repeatedReader({ json, value }: Field, packable: boolean): Member['read'] {
  const read = valueReader(value);
  return (reader, message, wireType) => {
    const list = (message[json] ??= []) as unknown[];
    if (!packable || wireType !== WireType.delimited) {
      list.push(read(reader));
      return;
    }
    const outer = reader.enter();
    while (reader.hasMore()) list.push(read(reader));
    reader.leave(outer);
    if (list.length === 0) delete message[json];
  };
}

function mapReader({ json, key, value }: Field): Member['read'] {
  const readKey = scalarReader(key);
  const readValue = valueReader(value);
  return (reader, message) => {
    const map = (message[json] ??= {}) as Members;
    const outer = reader.enter();
    let entryKey: unknown = scalarDefault(key);
    let entryValue: unknown;
    while (reader.hasMore()) {
      const tag = reader.uint32();
      if (tag >>> 3 === 1) entryKey = readKey(reader);
      else if (tag >>> 3 === 2) entryValue = readValue(reader);
      else reader.skip(tag & 7, tag >>> 3);
    }
    reader.leave(outer);
    setMember(map, String(entryKey), entryValue ?? emptyValue(value));
  };
}

function valueReader(value: ValueType): ValueReader {
  switch (value.kind) {
    case 'scalar':
      return scalarReader(value.scalar);
    case 'enum':
      return enumReader(value.enum);
    case 'message':
      return nestedReader(value.message);
  }
}

function nestedReader(type: () => MessageType): (reader: Reader, previous?: unknown) => unknown {
  let decoder: Decoder | undefined;
  return (reader, previous) => {
    decoder ??= decoderOf(type());
    const outer = reader.enter();
    const message = decoder(reader, previous);
    reader.leave(outer);
    return message;
  };
}

function enumReader(type: () => EnumType): ValueReader {
  return (reader) => {
    const number = reader.uint32() | 0;
    if (type().name === NULL_VALUE) return null;
    return type().names.get(number) ?? number;
  };
}

/** The value of a map entry that has none on the wire. */
function emptyValue(value: ValueType): unknown {
  return value.kind === 'message' ? decoderOf(value.message())(new Reader(new Uint8Array())) : defaultOf(value);
}
