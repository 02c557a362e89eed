import { expect, test } from '@jest/globals';
import { checkEnvoyMessage } from './check-message.ts';

const CLUSTER = 'envoy.config.cluster.v3.Cluster';

test('patch values are checked by the types of Envoy', () => {
  const severities = (value: Parameters<typeof checkEnvoyMessage>[1]) =>
    checkEnvoyMessage(CLUSTER, value).map(({ severity, message }) => `${severity} ${message.split(':', 1)[0] ?? ''}`);
  expect(severities({ lb_policy: 'RING_HASH', connectTimeout: '1s' })).toEqual([]);
  expect(severities({ name: false })).toEqual(['error name']);
  expect(severities({ lb_polizy: 'RING_HASH' })).toEqual(['warning lb_polizy']);
  expect(severities({ transport_socket: { typed_config: { '@type': 'type.googleapis.com/envoy.v2.None' } } })).toEqual([
    expect.stringMatching(/^error transport/),
  ]);
});
