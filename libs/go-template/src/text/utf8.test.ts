import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { byteLength, byteSlice, compareText, rejoin, utf8Decode, utf8Encode } from './utf8.ts';

describe('text that stands for bytes', () => {
  test('every sequence of bytes comes back as it was', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => expect(utf8Encode(utf8Decode(bytes))).toEqual(Uint8Array.from(bytes))),
    );
  });

  test('a rune cut in half is whole again once its halves meet', () => {
    const halves = [byteSlice('é', 0, 1), byteSlice('é', 1)];
    expect(halves.map(byteLength)).toEqual([1, 1]);
    expect(rejoin(halves.join(''))).toBe('é');
  });

  test('text is ordered by its bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (left, right) => {
        expect(Math.sign(compareText(left, right))).toBe(
          Math.sign(Buffer.compare(Buffer.from(left), Buffer.from(right))),
        );
      }),
    );
  });
});
