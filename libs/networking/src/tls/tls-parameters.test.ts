import { expect, test } from '@jest/globals';
import { knownCipherSuites, knownCurves } from './tls-parameters.ts';

test('curves that Envoy knows, each once', () => {
  expect(knownCurves(['P-256', 'FOO', 'X25519', 'P-256', 'secp256r1', ''])).toEqual(['P-256', 'X25519']);
});

const [A, B] = ['AES128-SHA', 'AES256-SHA'];

test.each([
  [
    [A, 'FOO', B, A],
    [A, B],
  ],
  [['TLS_AES_128_GCM_SHA256', '@STRENGTH', '[A', 'aes128-sha'], []],
  [[`[${A}|${B}]`, '[FOO|BAR]'], [`[${A}|${B}]`]],
  [
    ['ALL', `-${A}`, '!FOO'],
    ['ALL', `-${A}`],
  ],
  [[`-${A}`], []],
  [[A, '!ALL'], []],
])('of the cipher suites %j Envoy gets %j', (suites, known) => {
  expect(knownCipherSuites(suites)).toEqual(known);
});
