import { expect, test } from '@jest/globals';
import { defaultProxyConfig, mergeProxyConfig } from '@kedge/model';
import { readEnvironment } from './environment.ts';
import { assertCertificates, xdsTransport } from './xds-transport.ts';

const configOf = (config: object) => mergeProxyConfig(defaultProxyConfig, config).value;

test.each([
  [{ discoveryAddress: 'istiod:15010' }, 'istiod:15010'],
  [{ discoveryAddress: '127.0.0.1:40000', controlPlaneAuthPolicy: 'NONE' }, '127.0.0.1:40000'],
])('%j is reached in plain text', (config, address) => {
  expect(xdsTransport(configOf(config))).toEqual({ kind: 'direct', address });
});

test.each([{}, { discoveryAddress: '127.0.0.1:40000' }])('%j is reached through the agent', (config) => {
  expect(xdsTransport(configOf(config))).toEqual({ kind: 'agent', socketPath: './etc/istio/proxy/XDS' });
});

test.each([
  [{ tracing: { zipkin: {}, tlsSettings: { mode: 'SIMPLE' } } }, {}, 'needed by tracing.tlsSettings'],
  [{}, { ENVOY_SECURE_METRICS_PORT: '15091' }, 'needed by ENVOY_SECURE_METRICS_PORT'],
])('%j with %j is refused without certificates', (config, variables, message) => {
  const { environment } = readEnvironment(variables);
  expect(() => assertCertificates(configOf(config), environment, { kind: 'none' })).toThrow(message);
  assertCertificates(configOf(config), environment, { kind: 'authority', address: 'istiod:15012' });
});
