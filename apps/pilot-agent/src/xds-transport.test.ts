import { expect, test } from '@jest/globals';
import { defaultProxyConfig, mergeProxyConfig } from '@kedge/model';
import { readEnvironment } from './environment.ts';
import { xdsTransport } from './xds-transport.ts';

const transport = (config: object, environment: Readonly<Record<string, string>> = {}) =>
  xdsTransport(mergeProxyConfig(defaultProxyConfig, config).value, readEnvironment(environment).environment);

test.each([
  [{ discoveryAddress: 'istiod:15010' }, 'istiod:15010'],
  [{ discoveryAddress: '127.0.0.1:40000', controlPlaneAuthPolicy: 'NONE' }, '127.0.0.1:40000'],
])('%j is reached in plain text', (config, address) => {
  expect(transport(config)).toEqual({ kind: 'direct', address });
});

test.each([
  [{}, {}, 'TLS towards istiod.istio-system.svc:15012'],
  [
    { discoveryAddress: 'istiod:15010', tracing: { zipkin: {}, tlsSettings: { mode: 'SIMPLE' } } },
    {},
    'needed by tracing.tlsSettings',
  ],
  [{ discoveryAddress: 'istiod:15010' }, { ENVOY_SECURE_METRICS_PORT: '15091' }, 'needed by ENVOY_SECURE_METRICS_PORT'],
])('%j with %j is refused', (config, environment, message) => {
  expect(() => transport(config, environment)).toThrow(message);
});
