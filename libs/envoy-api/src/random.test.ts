import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decodeMessage } from './codec/decode.ts';
import { encodeMessage } from './codec/encode.ts';
import { parseMessage } from './parse/parse.ts';
import { messageType, schema } from './registry.ts';
import { IndependentCodec } from './testing/independent-codec.ts';
import { randomMessage } from './testing/random-message.ts';
import { validateMessage } from './validate/validate.ts';

const DEPTH = 3;
const RUNS_PER_TYPE = 4;

/** Runs a property on random messages of every type there is. */
function forEveryType(property: (name: string, message: unknown) => void): void {
  for (const name of schema().messageNames()) {
    fc.assert(
      fc.property(fc.gen(), (pick) => property(name, randomMessage(pick, messageType(name), DEPTH))),
      { numRuns: RUNS_PER_TYPE },
    );
  }
}

/** The same message with its members in another order. */
function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, v]) => [key, reordered(v)]),
  );
}

describe('random messages of every type', () => {
  test('survive encoding and decoding; the bytes do not depend on the order of members', () => {
    forEveryType((name, message) => {
      const bytes = encodeMessage(name, message);
      expect(decodeMessage(name, bytes)).toEqual(message);
      expect(encodeMessage(name, reordered(message))).toEqual(bytes);
    });
  });

  test('are canonical for parse', () => {
    forEveryType((name, message) => {
      expect(parseMessage(name, message)).toEqual({ message, errors: [] });
    });
  });

  test('are the same to an independent decoder', () => {
    const codec = new IndependentCodec();
    forEveryType((name, message) => {
      expect(normalised(codec.toJson(name, encodeMessage(name, message)))).toEqual(normalised(message));
    });
  });

  test('can be validated', () => {
    forEveryType((name, message) => {
      expect(() => validateMessage(name, message)).not.toThrow();
    });
  });
});

/** That library writes 32-bit floats as doubles, and Empty in an Any without `value`. */
function normalised(value: unknown): unknown {
  if (typeof value === 'number') return Math.fround(value);
  if (Array.isArray(value)) return value.map(normalised);
  if (typeof value !== 'object' || value === null) return value;
  const isEmpty = '@type' in value && value['@type'] === 'type.googleapis.com/google.protobuf.Empty';
  const members = Object.entries(value).filter(([key]) => !(isEmpty && key === 'value'));
  return Object.fromEntries(members.map(([key, v]) => [key, normalised(v)]));
}
