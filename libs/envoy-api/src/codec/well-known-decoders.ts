import { unknownFields } from '../message.ts';
import { typeOfUrl } from '../registry.ts';
import { scalarDefault } from '../schema.ts';
import type { MessageType, Scalar } from '../schema.ts';
import { isWellKnown, WRAPPERS } from '../well-known.ts';
import { DecodeError, Reader } from '../wire/reader.ts';
import { setMember } from './members.ts';
import type { Members } from './members.ts';
import { scalarReader } from './scalar-readers.ts';
import { formatDuration, formatTimestamp } from './time.ts';
import type { SecondsAndNanos } from './time.ts';

type Decoder = (reader: Reader) => unknown;

/** The decoder of a message whose JSON form isn't an object of its fields. */
export function wellKnownDecoder(name: string, decoderOf: (type: MessageType) => Decoder): Decoder | undefined {
  const wrapped = WRAPPERS.get(name);
  if (wrapped) return wrapperDecoder(wrapped);
  switch (name) {
    case 'google.protobuf.Any':
      return anyDecoder(decoderOf);
    case 'google.protobuf.Duration':
      return (reader) => formatDuration(decodeTime(reader));
    case 'google.protobuf.Timestamp':
      return (reader) => formatTimestamp(decodeTime(reader));
    case 'google.protobuf.FieldMask':
      return decodeFieldMask;
    case 'google.protobuf.Struct':
      return decodeStruct;
    case 'google.protobuf.ListValue':
      return decodeList;
    case 'google.protobuf.Value':
      return decodeValue;
    default:
      return undefined;
  }
}

/** Calls `read` with the number of each field; where that gives false the field is skipped. */
function eachField(reader: Reader, read: (number: number) => boolean): void {
  while (reader.hasMore()) {
    const tag = reader.uint32();
    if (!read(tag >>> 3)) reader.skip(tag & 7, tag >>> 3);
  }
}

function wrapperDecoder(scalar: Scalar): Decoder {
  const read = scalarReader(scalar);
  return (reader) => {
    let value = scalarDefault(scalar);
    eachField(reader, (number) => {
      if (number !== 1) return false;
      value = read(reader);
      return true;
    });
    return value;
  };
}

function decodeTime(reader: Reader): SecondsAndNanos {
  let seconds = 0;
  let nanos = 0;
  eachField(reader, (number) => {
    if (number === 1) seconds = reader.int64Number();
    else if (number === 2) nanos = reader.uint32() | 0;
    else return false;
    return true;
  });
  if (Math.abs(nanos) > 999_999_999 || seconds * nanos < 0)
    throw new DecodeError(`${nanos} nanoseconds are out of range`);
  return { seconds, nanos };
}

/** An Any of a type that isn't known keeps its bytes as unknown fields. */
function anyDecoder(decoderOf: (type: MessageType) => Decoder): Decoder {
  return (reader) => {
    let url = '';
    let value: Uint8Array = new Uint8Array();
    eachField(reader, (number) => {
      if (number === 1) url = reader.string();
      else if (number === 2) value = reader.bytes();
      else return false;
      return true;
    });
    if (url === '') return {};
    const type = typeOfUrl(url);
    if (!type) return { '@type': url, [unknownFields]: Uint8Array.from(value) };
    const message = decoderOf(type)(new Reader(value, reader.depth + 1));
    return isWellKnown(type.name) ? { '@type': url, value: message } : { '@type': url, ...(message as object) };
  };
}

function decodeFieldMask(reader: Reader): string {
  const paths: string[] = [];
  eachField(reader, (number) => {
    if (number !== 1) return false;
    paths.push(reader.string().replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));
    return true;
  });
  return paths.join(',');
}

function decodeStruct(reader: Reader): Members {
  const struct: Members = {};
  eachField(reader, (number) => {
    if (number !== 1) return false;
    let key = '';
    let value: unknown = null;
    nested(reader, (entry) => {
      eachField(entry, (part) => {
        if (part === 1) key = entry.string();
        else if (part === 2) value = nested(entry, decodeValue);
        else return false;
        return true;
      });
    });
    setMember(struct, key, value);
    return true;
  });
  return struct;
}

function decodeList(reader: Reader): unknown[] {
  const list: unknown[] = [];
  eachField(reader, (number) => {
    if (number !== 1) return false;
    list.push(nested(reader, decodeValue));
    return true;
  });
  return list;
}

function decodeValue(reader: Reader): unknown {
  let value: unknown = null;
  eachField(reader, (number) => {
    const read = VALUE_READERS[number];
    if (!read) return false;
    value = read(reader);
    return true;
  });
  return value;
}

const VALUE_READERS: Readonly<Record<number, Decoder>> = {
  1: (reader) => {
    reader.uint32();
    return null;
  },
  2: scalarReader('double'),
  3: scalarReader('string'),
  4: scalarReader('bool'),
  5: (reader) => nested(reader, decodeStruct),
  6: (reader) => nested(reader, decodeList),
};

function nested<T>(reader: Reader, decode: (reader: Reader) => T): T {
  const outer = reader.enter();
  const value = decode(reader);
  reader.leave(outer);
  return value;
}
