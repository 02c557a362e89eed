import { expect, test } from '@jest/globals';
import { keyKind } from './key-kind.ts';

const unset = { eccSignatureAlgorithm: '', eccCurve: 'P256', rsaBits: undefined };

test.each([
  [{}, { algorithm: 'P-256' }],
  [{ eccCurve: 'P384' }, { algorithm: 'P-384' }],
  [{ rsaBits: 4096 }, { algorithm: 'RSA', rsaBits: 4096 }],
  [{ rsaBits: 2048, eccSignatureAlgorithm: 'ECDSA' }, { algorithm: 'P-256' }],
])('%j makes %j', (settings, kind) => {
  expect(keyKind({ ...unset, ...settings })).toEqual(kind);
});

test.each([
  [{ eccSignatureAlgorithm: 'EdDSA' }, 'ECC_SIGNATURE_ALGORITHM: "EdDSA"'],
  [{ eccCurve: 'P521' }, 'ECC_CURVE: "P521"'],
])('%j is refused', (settings, message) => {
  expect(() => keyKind({ ...unset, ...settings })).toThrow(message);
});
