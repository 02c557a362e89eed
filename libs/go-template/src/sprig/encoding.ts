import { FunctionError } from '../exec/template-error.ts';
import { utf8Decode, utf8Encode } from '../text/utf8.ts';
import { codecs, fn, type FunctionTable } from '../value/function.ts';

const { string } = codecs;

interface Base {
  readonly name: string;
  readonly alphabet: string;
  /** Bits of a character. */
  readonly bits: number;
  /** Characters of a group, to which padding fills the last one up. */
  readonly group: number;
}

const base64: Base = {
  name: 'base64',
  alphabet: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  bits: 6,
  group: 4,
};

const base32: Base = { name: 'base32', alphabet: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', bits: 5, group: 8 };

const encode = ({ alphabet, bits, group }: Base, bytes: Uint8Array): string => {
  let [output, buffer, held] = ['', 0, 0];
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    for (held += 8; held >= bits; held -= bits) output += alphabet.charAt((buffer >> (held - bits)) & (2 ** bits - 1));
    buffer &= 2 ** held - 1;
  }
  if (held > 0) output += alphabet.charAt((buffer << (bits - held)) & (2 ** bits - 1));
  return output.padEnd(Math.ceil(output.length / group) * group, '=');
};

/** Line breaks are skipped; anything else outside of the alphabet is an error at its offset. */
const decode = (base: Base, text: string): Uint8Array => {
  const { name, alphabet, bits, group } = base;
  const corrupt = (at: number): FunctionError => new FunctionError(`illegal ${name} data at input byte ${at}`);
  const chars = [...utf8Encode(text)]
    .map((byte, at) => ({ char: String.fromCharCode(byte), at }))
    .filter(({ char }) => char !== '\r' && char !== '\n');
  const data = chars.findIndex(({ char }) => char === '=');
  const digits = data < 0 ? chars : chars.slice(0, data);
  const bad = digits.find(({ char }) => !alphabet.includes(char));
  if (bad !== undefined) throw corrupt(bad.at);
  const rest = (digits.length * bits) % 8;
  const short = digits.length % group;
  const padding = chars.length - digits.length;
  const badPadding = chars.slice(digits.length).find(({ char }) => char !== '=');
  if (badPadding !== undefined) throw corrupt(badPadding.at);
  const missing = short === 0 ? 0 : group - short;
  if (short !== 0 && padding === 0) throw corrupt(text.length - short);
  if (rest >= bits) throw corrupt(chars[digits.length]!.at);
  if (padding > missing) throw corrupt(chars[digits.length + missing]!.at);
  if (padding < missing) throw corrupt(text.length);
  const bytes: number[] = [];
  let [buffer, held] = [0, 0];
  for (const { char } of digits) {
    buffer = (buffer << bits) | alphabet.indexOf(char);
    held += bits;
    if (held >= 8) {
      held -= 8;
      bytes.push((buffer >> held) & 0xff);
    }
    buffer &= 2 ** held - 1;
  }
  return Uint8Array.from(bytes);
};

/** Text, or what is wrong: these functions answer with the error's text. */
const decoded = (base: Base, text: string): string => {
  try {
    return utf8Decode(decode(base, text));
  } catch (error) {
    if (error instanceof FunctionError) return error.message;
    throw error;
  }
};

export const encodeBase64 = (bytes: Uint8Array): string => encode(base64, bytes);
export const decodeBase64 = (text: string): Uint8Array => decode(base64, text);

export const encodingFunctions: FunctionTable = {
  b64enc: fn([string], string, (text) => encode(base64, utf8Encode(text))),
  b64dec: fn([string], string, (text) => decoded(base64, text)),
  b32enc: fn([string], string, (text) => encode(base32, utf8Encode(text))),
  b32dec: fn([string], string, (text) => decoded(base32, text)),
};
