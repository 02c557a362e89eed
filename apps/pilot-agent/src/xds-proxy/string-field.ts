/**
 * A string field of an encoded message, without decoding the rest, which may be megabytes of resources. Undefined where it isn't
 * there, or the bytes are no message.
 */
export function stringField(message: Uint8Array, field: number): string | undefined {
  for (let offset = 0; offset < message.length;) {
    const tag = readVarint(message, offset);
    if (!tag) return undefined;
    const skip = lengthOf(message, tag.end, tag.value & 7);
    if (!skip || skip.end > message.length) return undefined;
    if (tag.value >>> 3 === field) return new TextDecoder().decode(message.subarray(skip.start, skip.end));
    offset = skip.end;
  }
  return undefined;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Where the content of a field is, by its wire type; undefined for types that no message here has. */
function lengthOf(message: Uint8Array, offset: number, wireType: number): Range | undefined {
  if (wireType === 1) return { start: offset, end: offset + 8 };
  if (wireType === 5) return { start: offset, end: offset + 4 };
  const number = readVarint(message, offset);
  if (!number || (wireType !== 0 && wireType !== 2)) return undefined;
  return wireType === 0 ? { start: offset, end: number.end } : { start: number.end, end: number.end + number.value };
}

/** Precise up to 2^53, which no length comes near. */
function readVarint(message: Uint8Array, start: number): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  for (let offset = start; offset < start + 10; offset++) {
    const byte = message[offset];
    if (byte === undefined) return undefined;
    value += (byte & 0x7f) * 2 ** (7 * (offset - start));
    if (byte < 0x80) return { value, end: offset + 1 };
  }
  return undefined;
}
