import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { binaryValues, metadataHeaders, percentEncode, readMetadata, statusTrailers } from './metadata.ts';
import { Status } from './status.ts';

describe('percentEncode', () => {
  test('any text survives and is printable ASCII on the wire', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 50 }), (text) => {
        const encoded = percentEncode(text);
        expect(encoded).toMatch(/^[ -~]*$/);
        expect(decodeURIComponent(encoded)).toBe(text);
      }),
    );
  });

  test.each([
    ['plain text, 100!', 'plain text, 100!'],
    ['50 %', '50 %25'],
    ['é\n', '%C3%A9%0A'],
    ['lone \ud800', 'lone %EF%BF%BD'],
  ])('%j becomes %j', (text, encoded) => expect(percentEncode(text)).toBe(encoded));

  test('a long text is cut between characters', () => {
    expect(percentEncode('x'.repeat(5000))).toHaveLength(4096);
    expect(decodeURIComponent(percentEncode('é'.repeat(5000)))).toMatch(/^é+$/);
  });
});

test('requests: pseudo-headers are no metadata, repeated keys are joined, -bin values decode', () => {
  const metadata = readMetadata({ ':path': '/a/b', 'x-key': 'v', 'set-cookie': ['a', 'b'], 'k-bin': 'AAE,Ag==' });
  expect([...metadata]).toEqual([
    ['x-key', 'v'],
    ['set-cookie', 'a, b'],
    ['k-bin', 'AAE,Ag=='],
  ]);
  expect(binaryValues(metadata, 'k-bin').map((value) => [...value])).toEqual([[0, 1], [2]]);
  expect(binaryValues(metadata, 'none-bin')).toEqual([]);
});

test('responses: bytes become base64, absent parts of a status no trailer', () => {
  expect(metadataHeaders({ a: 'text', 'b-bin': new Uint8Array([0, 1]) })).toEqual({ a: 'text', 'b-bin': 'AAE=' });
  expect(statusTrailers({ code: Status.OK })).toEqual({ 'grpc-status': '0' });
  expect(
    statusTrailers({ code: Status.ABORTED, message: 'ö', details: new Uint8Array([1]), trailers: { t: 'v' } }),
  ).toEqual({ t: 'v', 'grpc-status': '10', 'grpc-message': '%C3%B6', 'grpc-status-details-bin': 'AQ==' });
});
