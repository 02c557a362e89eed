import { FunctionError } from '../exec/template-error.ts';
import { codecs, fn, type FunctionTable, type GoFunction } from '../value/function.ts';
import { encodeBase64 } from './encoding.ts';

const { int, string } = codecs;

const digits = '0123456789';
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('');

export const randomFunctions = (randomBytes: (count: number) => Uint8Array): FunctionTable => {
  /** A number from 0 up to a limit, every one as likely. */
  const below = (limit: number): number => {
    const fair = 2 ** 48 - (2 ** 48 % limit);
    for (;;) {
      const value = randomBytes(6).reduce((number, byte) => number * 256 + byte, 0);
      if (value < fair) return value % limit;
    }
  };
  const pick = (alphabet: string): GoFunction =>
    fn([int], string, (count) =>
      Array.from({ length: Math.max(count, 0) }, () => alphabet.charAt(below(alphabet.length))).join(''),
    );

  return {
    randAlphaNum: pick(letters + digits),
    randAlpha: pick(letters),
    randAscii: pick(printable),
    randNumeric: pick(digits),
    randInt: fn([int, int], int, (least, limit) => {
      if (limit <= least) throw new FunctionError('invalid argument to Intn');
      return least + below(limit - least);
    }),
    randBytes: fn([int], string, (count) => {
      if (count < 0) throw new FunctionError('runtime error: makeslice: len out of range');
      return encodeBase64(randomBytes(count));
    }),
    shuffle: fn([string], string, (text) => {
      const chars = Array.from(text);
      for (let last = chars.length - 1; last > 0; last--) {
        const other = below(last + 1);
        [chars[last], chars[other]] = [chars[other]!, chars[last]!];
      }
      return chars.join('');
    }),
    uuidv4: fn([], string, () => {
      const bytes = Uint8Array.from(randomBytes(16));
      bytes[6] = (bytes[6]! & 0x0f) | 0x40;
      bytes[8] = (bytes[8]! & 0x3f) | 0x80;
      const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
      return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
    }),
  };
};
