/**
 * Go's strings are bytes, ours are text. Text that holds bytes which are not UTF-8 (decoded base64, a rune cut in half) keeps
 * each such byte as the lone surrogate U+DC80 + (byte - 0x80), so that nothing is lost and pieces join again.
 */

const encoder = new TextEncoder();

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const isAscii = (text: string): boolean => {
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) > 0x7f) return false;
  }
  return true;
};

/** The byte that a lone surrogate stands for, or undefined. */
const escapedByte = (codePoint: number): number | undefined =>
  codePoint >= 0xdc80 && codePoint <= 0xdcff ? codePoint - 0xdc00 : undefined;

export const utf8Encode = (text: string): Uint8Array => {
  if (text.isWellFormed()) return encoder.encode(text);
  const bytes: number[] = [];
  for (const char of text) {
    const byte = escapedByte(char.codePointAt(0)!);
    if (byte === undefined) bytes.push(...encoder.encode(char));
    else bytes.push(byte);
  }
  return Uint8Array.from(bytes);
};

/** Length in bytes of the UTF-8 sequence that starts at `index`, or 0 where none does. */
const sequenceLength = (bytes: Uint8Array, index: number): number => {
  const lead = bytes[index]!;
  const length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (length < 2) return length;
  try {
    strict.decode(bytes.subarray(index, index + length));
    return length;
  } catch {
    return 0;
  }
};

export const utf8Decode = (bytes: Uint8Array): string => {
  try {
    return strict.decode(bytes);
  } catch {
    let text = '';
    for (let index = 0; index < bytes.length;) {
      const length = sequenceLength(bytes, index);
      text +=
        length === 0
          ? String.fromCharCode(0xdc00 + bytes[index]!)
          : strict.decode(bytes.subarray(index, index + length));
      index += length || 1;
    }
    return text;
  }
};

/** Length as Go's `len` counts it. */
export const byteLength = (text: string): number => (isAscii(text) ? text.length : utf8Encode(text).length);

/** `text[start:end]` with offsets in bytes, which the caller has checked. */
export const byteSlice = (text: string, start: number, end?: number): string =>
  isAscii(text) ? text.slice(start, end) : utf8Decode(utf8Encode(text).subarray(start, end));

/** Pieces of cut runes that have come together again are whole runes. */
export const rejoin = (text: string): string => (text.isWellFormed() ? text : utf8Decode(utf8Encode(text)));

/** Order of bytes, as Go compares strings. */
export const compareText = (left: string, right: string): number => {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const [a, b] = [left.charCodeAt(index), right.charCodeAt(index)];
    if (a === b) continue;
    // Only surrogates sort differently in UTF-16.
    return a < 0xd800 && b < 0xd800 ? a - b : compareBytes(utf8Encode(left), utf8Encode(right));
  }
  return left.length - right.length;
};

const compareBytes = (left: Uint8Array, right: Uint8Array): number => {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    if (left[index] !== right[index]) return left[index]! - right[index]!;
  }
  return left.length - right.length;
};
