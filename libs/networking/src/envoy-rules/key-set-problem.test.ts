import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { testCertificates } from '@kedge/testbed';
import { keySetProblem } from './key-set-problem.ts';

const exported = ({ publicKey }: { readonly publicKey: KeyObject }) => publicKey.export({ format: 'jwk' });
const rsa = exported(generateKeyPairSync('rsa', { modulusLength: 1024 }));
const p256 = exported(generateKeyPairSync('ec', { namedCurve: 'P-256' }));
const secp = exported(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }));
const ed25519 = exported(generateKeyPairSync('ed25519'));
const x25519 = exported(generateKeyPairSync('x25519'));

test.each([
  ['RSA', rsa],
  ['RSA with its algorithm', { ...rsa, alg: 'PS256' }],
  ['EC', p256],
  ['EC that names no curve', { ...p256, crv: undefined, alg: 'ES256' }],
  ['Ed25519', { ...ed25519, alg: 'EdDSA' }],
  ['a secret', { kty: 'oct', k: 'AAAA' }],
])('a key can be used: %s', (_what, key) => {
  expect(keySetProblem(JSON.stringify({ keys: [key] }))).toBeUndefined();
});

test.each([
  ['RSA of another algorithm', { ...rsa, alg: 'ES256' }],
  ['RSA without a modulus', { ...rsa, n: undefined }],
  ['an exponent of 1', { ...rsa, e: 'AQ' }],
  ['padded', { ...rsa, n: `${rsa.n}=` }],
  ['a point that is not on the curve', { ...p256, x: p256.y }],
  ['another curve', secp],
  ['of another algorithm', { ...p256, alg: 'ES384' }],
  ['for agreement, not for signatures', x25519],
  ['an empty secret', { kty: 'oct', k: '' }],
  ['of no known type', { kty: 'foo' }],
  ['no object', 5],
])('a key cannot be used: %s', (_what, key) => {
  expect(keySetProblem(JSON.stringify({ keys: [key] }))).toBe('has no key that can be used');
  expect(keySetProblem(JSON.stringify({ keys: [key, rsa] }))).toBeUndefined();
});

test.each(['', '{', '[]', '{}', '{"keys": 5}', '{"keys": []}', JSON.stringify(rsa)])('no set of keys: %s', (text) => {
  expect(keySetProblem(text)).toBeDefined();
});

test('certificates by the ids of their keys are one', () => {
  const { certificate } = testCertificates.client;
  expect(keySetProblem(JSON.stringify({ a: certificate }))).toBeUndefined();
  expect(keySetProblem(JSON.stringify({ a: certificate, b: 'x' }))).toBe('has no keys');
});
