import { expect, test } from '@jest/globals';
import { encode } from '@kedge/envoy-api';
import fc from 'fast-check';
import { stringField } from './string-field.ts';

const secret = {
  '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret',
  name: 'x'.repeat(300),
};
const typeUrl = secret['@type'];

test('it is found behind the resources', () => {
  const sotw = encode('envoy.service.discovery.v3.DiscoveryResponse', {
    versionInfo: '1',
    resources: [secret, secret],
    canary: true,
    typeUrl,
    nonce: 'n',
  });
  expect(stringField(sotw, 4)).toBe(typeUrl);
  expect(stringField(sotw, 5)).toBe('n');
  expect(stringField(sotw, 99)).toBeUndefined();
});

test('any bytes have it or not', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.integer({ min: 1, max: 8 }), (bytes, field) => {
      const found = stringField(bytes, field);
      expect(found === undefined || found.length <= bytes.length).toBe(true);
    }),
    { numRuns: 10_000 },
  );
});
