import { WireType, tagOf } from './wire-type.ts';

// Messages put together from encoded parts. Protobuf allows it: the concatenation of two encodings of a message is the
// encoding of their merge, so a skeleton without a repeated field plus that field's elements is the whole message.

const TYPE_URL = tagOf(1, WireType.delimited);
const VALUE = tagOf(2, WireType.delimited);

/** The encoded message with encoded messages added to its repeated field of that number. */
export function appendMessages(skeleton: Uint8Array, fieldNumber: number, parts: readonly Uint8Array[]): Uint8Array {
  const tag = tagOf(fieldNumber, WireType.delimited);
  let size = skeleton.length;
  for (const part of parts) size += delimitedSize(tag, part.length);
  const bytes = new Uint8Array(size);
  bytes.set(skeleton);
  let at = skeleton.length;
  for (const part of parts) at = writeDelimited(bytes, at, tag, part);
  return bytes;
}

/** Tag and length of an encoded message of that size in the field of that number. */
export function delimiter(fieldNumber: number, size: number): Uint8Array {
  const tag = tagOf(fieldNumber, WireType.delimited);
  const bytes = new Uint8Array(varintSize(tag) + varintSize(size));
  writeVarint(bytes, writeVarint(bytes, 0, tag), size);
  return bytes;
}

/** An encoded google.protobuf.Any around an encoded message. */
export function wrapAny(typeUrl: string, value: Uint8Array): Uint8Array {
  const url = Buffer.from(typeUrl);
  const valueSize = value.length > 0 ? delimitedSize(VALUE, value.length) : 0;
  const bytes = new Uint8Array(delimitedSize(TYPE_URL, url.length) + valueSize);
  const at = writeDelimited(bytes, 0, TYPE_URL, url);
  if (value.length > 0) writeDelimited(bytes, at, VALUE, value);
  return bytes;
}

function delimitedSize(tag: number, length: number): number {
  return varintSize(tag) + varintSize(length) + length;
}

function writeDelimited(bytes: Uint8Array, start: number, tag: number, content: Uint8Array): number {
  const at = writeVarint(bytes, writeVarint(bytes, start, tag), content.length);
  bytes.set(content, at);
  return at + content.length;
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) size++;
  return size;
}

function writeVarint(bytes: Uint8Array, start: number, value: number): number {
  let at = start;
  let rest = value;
  while (rest >= 0x80) {
    bytes[at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  bytes[at++] = rest;
  return at;
}
