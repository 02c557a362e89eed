import { expect, test } from '@jest/globals';
import { readEnvironment } from './environment.ts';

test('defaults', () => {
  const { environment, warnings } = readEnvironment({});
  expect(warnings).toEqual([]);
  expect(environment).toMatchObject({ statusPort: 15021, minimumDrain: 5000, deltaXds: true, podName: '' });
  expect(environment).toMatchObject({ secretTtl: 86_400_000, secretGraceRatio: 0.5, trustDomain: 'cluster.local' });
  expect(environment.metadataDiscovery).toBeUndefined();
  expect(environment.rsaKeySize).toBeUndefined();
});

test('values are read by their type; all variables are kept', () => {
  const all = {
    ENVOY_STATUS_PORT: '18021',
    MINIMUM_DRAIN_DURATION: '1m',
    EXIT_ON_ZERO_ACTIVE_CONNECTIONS: 'true',
    PEER_METADATA_DISCOVERY: '0',
    SECRET_TTL: '6s',
    SECRET_GRACE_PERIOD_RATIO: '0.25',
    WORKLOAD_RSA_KEY_SIZE: '3072',
    ISTIO_META_X: 'y',
    'XDS_HEADER_x-Project': 'blue',
    CA_HEADER_KEY: 'k',
  };
  const { environment } = readEnvironment(all);
  expect(environment).toMatchObject({
    statusPort: 18021,
    minimumDrain: 60_000,
    exitOnZeroActiveConnections: true,
    metadataDiscovery: false,
    secretTtl: 6000,
    secretGraceRatio: 0.25,
    rsaKeySize: 3072,
    xdsHeaders: { 'x-project': 'blue' },
    caHeaders: { key: 'k' },
    all,
  });
});

test('what is not readable, or not in effect yet, is said', () => {
  const { environment, warnings } = readEnvironment({ ENVOY_STATUS_PORT: 'x', XDS_AUTH_PROVIDER: 'gcp' });
  expect(environment.statusPort).toBe(15021);
  expect(warnings).toEqual([
    'ENVOY_STATUS_PORT: "x" is not readable; the default is used',
    'not in effect yet in this version: XDS_AUTH_PROVIDER',
  ]);
});
