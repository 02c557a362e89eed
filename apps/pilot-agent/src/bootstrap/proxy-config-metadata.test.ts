import { expect, test } from '@jest/globals';
import { ProxyConfig } from '@kedge/model';
import { proxyConfigMetadata } from './proxy-config-metadata.ts';

test('is protobuf JSON: durations as text, no zero values, wrappers and members of a oneof kept', () => {
  const json = {
    serviceCluster: '',
    drainDuration: '45s',
    statusPort: 0,
    controlPlaneAuthPolicy: 'NONE',
    concurrency: 0,
    statsCompression: false,
    extraStatTags: [],
    tracing: { sampling: 0, customTags: {}, zipkin: {} },
    envoyMetricsService: { address: 'a:1', tlsSettings: { mode: 'DISABLE' }, tcpKeepalive: { time: '1.5s' } },
    connectionSettings: { httpIdleTimeout: '1m' },
  };
  const metadata = proxyConfigMetadata(ProxyConfig.parse(json));
  expect(metadata).toEqual({
    serviceCluster: '',
    drainDuration: '45s',
    concurrency: 0,
    statsCompression: false,
    tracing: { zipkin: {} },
    envoyMetricsService: { address: 'a:1', tlsSettings: {}, tcpKeepalive: { time: '1.500s' } },
    connectionSettings: { httpIdleTimeout: '60s' },
  });
  expect(proxyConfigMetadata(ProxyConfig.parse(metadata))).toEqual(metadata);
});
