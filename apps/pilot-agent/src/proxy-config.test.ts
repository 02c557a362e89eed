import { describe, expect, test } from '@jest/globals';
import { type ProxyConfigSources, effectiveProxyConfig } from './proxy-config.ts';

const none: ProxyConfigSources = {
  environment: '',
  annotations: {},
  cpuLimit: 0,
  concurrency: 0,
  serviceCluster: 'from-flag',
};
const effective = (sources: Partial<ProxyConfigSources>) => effectiveProxyConfig({ ...none, ...sources });

test('later sources win field by field; proxyMetadata is merged', () => {
  const config = effective({
    meshConfig: {
      file: 'mesh',
      text: 'defaultConfig: {proxyAdminPort: 1, statusPort: 2, proxyMetadata: {A: "1", B: "1"}}',
    },
    environment: '{"statusPort": 3, "concurrency": 4, "proxyMetadata": {"B": "2"}}',
    annotations: { 'proxy.istio.io/config': 'concurrency: 5', 'sidecar.istio.io/discoveryAddress': 'istiod:15010' },
  });
  expect(config).toMatchObject({
    proxyAdminPort: 1,
    statusPort: 3,
    concurrency: 5,
    drainDuration: 45_000,
    discoveryAddress: 'istiod:15010',
    proxyMetadata: { A: '1', B: '2' },
  });
});

test.each([
  [{ cpuLimit: 2 }, 2],
  [{ cpuLimit: 2, environment: 'concurrency: 3' }, 3],
  [{ cpuLimit: 2, environment: 'concurrency: 0' }, 0],
  [{ concurrency: 4, environment: 'concurrency: 3' }, 4],
  [{}, undefined],
])('concurrency of %j is %s', (sources, expected) => {
  expect(effective(sources).concurrency).toBe(expected);
});

describe('errors name source and field', () => {
  test.each([
    [{ environment: 'statusPort: many' }, 'PROXY_CONFIG statusPort:'],
    [{ environment: '{' }, 'PROXY_CONFIG'],
    [{ annotations: { 'proxy.istio.io/config': 'drainDuration: soon' } }, 'proxy.istio.io/config drainDuration'],
    [{ annotations: { 'status.sidecar.istio.io/port': 'x' } }, 'statusPort NaN is not a port'],
    [{ meshConfig: { file: 'mesh.yaml', text: 'defaultConfig: {proxyAdminPort: x}' } }, 'mesh.yaml'],
    [{ environment: 'drainDuration: 1500ms' }, 'drainDuration 1.500s'],
    [{ environment: 'discoveryAddress: istiod' }, 'discoveryAddress "istiod"'],
  ])('%j: %s', (sources, message) => {
    expect(() => effective(sources)).toThrow(message);
  });
});
