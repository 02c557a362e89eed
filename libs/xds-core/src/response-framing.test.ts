import { describe, expect, test } from '@jest/globals';
import { decode, encodeAny } from '@kedge/envoy-api';
import fc from 'fast-check';
import type { EncodedResource } from './answer.ts';
import { frameDeltaBody, frameHeader, frameSotwBody } from './response-framing.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 300 });

/** A resource, together with the `Any` that it holds. */
const sample = fc
  .record({
    name: text,
    version: text,
    value: fc.oneof(
      text,
      fc.nat({ max: 200_000 }).map((length) => 'x'.repeat(length)),
    ),
  })
  .map(({ name, version, value }) => {
    const any = { '@type': 'type.googleapis.com/google.protobuf.StringValue', value };
    return { any, resource: { name, version, any: encodeAny(any) } satisfies EncodedResource };
  });

const samples = fc.array(sample, { maxLength: 6 });
const header = fc.record({ version: text, typeUrl: text, nonce: text, controlPlane: text });

/** Empty texts are absent from decoded messages. */
function orAbsent(value: string): string | undefined {
  return value === '' ? undefined : value;
}

describe('framed responses are what protobuf encodes', () => {
  test('state of the world', () => {
    fc.assert(
      fc.property(header, samples, (fields, all) => {
        const body = frameSotwBody(all.map(({ resource }) => resource));
        const bytes = Buffer.concat([frameHeader('sotw', fields), ...body.chunks]);
        const response = decode('envoy.service.discovery.v3.DiscoveryResponse', bytes);
        expect(response.resources ?? []).toEqual(all.map(({ any }) => any));
        expect(response.versionInfo).toBe(orAbsent(fields.version));
        expect(response.typeUrl).toBe(orAbsent(fields.typeUrl));
        expect(response.nonce).toBe(orAbsent(fields.nonce));
        expect(response.controlPlane?.identifier).toBe(orAbsent(fields.controlPlane));
        expect(body.bytes).toBe(Buffer.concat(body.chunks).length);
      }),
      { numRuns: 60 },
    );
  });

  test('delta', () => {
    fc.assert(
      fc.property(header, samples, fc.array(text, { maxLength: 5 }), (fields, all, removed) => {
        const body = frameDeltaBody(
          all.map(({ resource }) => resource),
          removed,
        );
        const bytes = Buffer.concat([frameHeader('delta', fields), ...body.chunks]);
        const response = decode('envoy.service.discovery.v3.DeltaDiscoveryResponse', bytes);
        const expected = all.map(({ any, resource: { name, version } }) => ({
          ...(name && { name }),
          ...(version && { version }),
          resource: any,
        }));
        expect(response.resources ?? []).toEqual(expected);
        expect(response.removedResources ?? []).toEqual(removed);
        expect(response.systemVersionInfo).toBe(orAbsent(fields.version));
        expect(response.controlPlane?.identifier).toBe(orAbsent(fields.controlPlane));
        expect(body.bytes).toBe(Buffer.concat(body.chunks).length);
      }),
      { numRuns: 60 },
    );
  });

  test('a large resource is referred to, not copied', () => {
    const large = { name: 'large', version: '1', any: Buffer.alloc(100_000) };
    expect(frameSotwBody([large]).chunks).toContain(large.any);
    expect(frameDeltaBody([large], []).chunks).toContain(large.any);
  });
});
