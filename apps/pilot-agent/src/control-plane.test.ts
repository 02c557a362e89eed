import { expect, test } from '@jest/globals';
import { defaultProxyConfig, mergeProxyConfig } from '@kedge/model';
import { readEnvironment } from './environment.ts';
import { assertCertificates, isPlainText } from './control-plane.ts';

const configOf = (config: object) => mergeProxyConfig(defaultProxyConfig, config).value;

test.each([
  [{ discoveryAddress: 'istiod:15010' }, true],
  [{ discoveryAddress: '127.0.0.1:40000', controlPlaneAuthPolicy: 'NONE' }, true],
  [{ discoveryAddress: '127.0.0.1:40000' }, false],
  [{}, false],
])('%j is called in plain text: %s', (config, expected) => {
  expect(isPlainText(configOf(config))).toBe(expected);
});

test.each([
  [{ tracing: { zipkin: {}, tlsSettings: { mode: 'SIMPLE' } } }, {}, 'needed by tracing.tlsSettings'],
  [{}, { ENVOY_SECURE_METRICS_PORT: '15091' }, 'needed by ENVOY_SECURE_METRICS_PORT'],
])('%j with %j is refused without certificates', (config, variables, message) => {
  const { environment } = readEnvironment(variables);
  expect(() => assertCertificates(configOf(config), environment, { kind: 'none' })).toThrow(message);
  assertCertificates(configOf(config), environment, { kind: 'authority', address: 'istiod:15012' });
});
