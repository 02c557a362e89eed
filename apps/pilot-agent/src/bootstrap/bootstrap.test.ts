import { describe, expect, test } from '@jest/globals';
import { ProxyConfig } from '@kedge/model';
import { type BootstrapOptions, buildBootstrap, optionalExtensions } from './bootstrap.ts';
import type { NodeMetadata } from './node-metadata.ts';

const metadata: NodeMetadata = {
  INSTANCE_IPS: '10.0.0.1',
  METADATA_DISCOVERY: 'false',
  ENVOY_STATUS_PORT: 15021,
  ENVOY_PROMETHEUS_PORT: 15090,
};
const defaults: BootstrapOptions = {
  nodeId: 'sidecar~10.0.0.1~web.shop~shop.svc.cluster.local',
  metadata,
  proxyConfig: ProxyConfig.parse({ proxyAdminPort: 15000, statusPort: 15020 }),
  xdsSocket: './etc/istio/proxy/XDS',
  deltaXds: true,
  logAsJson: false,
  dualStack: false,
  statusProxyProtocol: false,
  hostIp: '',
  compliancePolicy: '',
  stripFragment: true,
  missingExtensions: new Set(),
};
const build = (options: Partial<BootstrapOptions> = {}) => buildBootstrap({ ...defaults, ...options }).bootstrap;
const clusterOf = (name: string, options: Partial<BootstrapOptions> = {}) =>
  build(options).staticResources.clusters.find((cluster) => cluster.name === name);

describe('IP families', () => {
  const listeners = (ips: string, dualStack: boolean) =>
    build({ metadata: { ...metadata, INSTANCE_IPS: ips }, dualStack }).staticResources.listeners;
  test.each([
    ['10.0.0.1', true, '0.0.0.0_15090', false],
    ['fd00::1', false, '::_15090', false],
    ['10.0.0.1,fd00::1', false, '0.0.0.0_15090', false],
    ['10.0.0.1,fd00::1', true, '0.0.0.0_15090', true],
    ['fd00::1,10.0.0.1', true, '::_15090', true],
  ])('of %s with dual-stack %s: %s, additional %s', (ips, dualStack, name, additional) => {
    const [prometheus] = listeners(ips, dualStack);
    expect(prometheus?.name).toBe(name);
    expect('additionalAddresses' in prometheus!).toBe(additional);
  });
});

describe('extensions that an Envoy may lack', () => {
  const withHbone = { ...defaults, metadata: { ...metadata, METADATA_DISCOVERY: 'true' } as const };

  test('none in a plain bootstrap', () => {
    expect(optionalExtensions(defaults)).toEqual([]);
  });

  test('metadata discovery is in unless it is missing', () => {
    expect(optionalExtensions(withHbone).map(({ name }) => name)).toEqual(['metadata_discovery']);
    const names = (options: BootstrapOptions) => build(options).bootstrapExtensions.map(({ name }) => name);
    expect(names(withHbone)).toEqual(['metadata_discovery', 'envoy.bootstrap.internal_listener']);
    const stock = { ...withHbone, missingExtensions: new Set(['metadata_discovery']) };
    expect(names(stock)).toEqual(['envoy.bootstrap.internal_listener']);
    expect(JSON.stringify(build(stock).statsConfig)).not.toContain('workload_discovery');
  });

  test('a waypoint has it, and delta xDS, whatever the settings', () => {
    const waypoint = build({ nodeId: 'waypoint~10.0.0.1~w.shop~shop.svc.cluster.local', deltaXds: false });
    expect(waypoint.bootstrapExtensions).toHaveLength(2);
    expect(waypoint.dynamicResources).toMatchObject({ adsConfig: { apiType: 'DELTA_GRPC' } });
  });

  test('a tracer that is missing is left out with its collector', () => {
    const proxyConfig = ProxyConfig.parse({ tracing: { lightstep: { address: 'satellite:8080' } } });
    const missingExtensions = new Set(['envoy.tracers.lightstep']);
    expect(build({ proxyConfig }).tracing?.http.name).toBe('envoy.tracers.lightstep');
    expect(build({ proxyConfig, missingExtensions }).tracing).toBeUndefined();
    expect(clusterOf('lightstep', { proxyConfig, missingExtensions })).toBeUndefined();
  });
});

test.each([
  [{ tracingServiceName: 'CANONICAL_NAME_AND_NAMESPACE' }, 'cart.shop'],
  [{ tracingServiceName: 'CANONICAL_NAME_ONLY' }, 'cart'],
  [{ tracingServiceName: 'APP_LABEL_AND_NAMESPACE' }, 'web.shop'],
  [{ serviceCluster: 'istio-proxy' }, 'web.shop'],
  [{ serviceCluster: 'mine' }, 'mine'],
  [{}, 'web.shop'],
])('service cluster of %j is %s', (config, expected) => {
  const labelled = {
    ...metadata,
    NAMESPACE: 'shop',
    LABELS: { app: 'web', 'service.istio.io/canonical-name': 'cart' },
  };
  expect(build({ metadata: labelled, proxyConfig: ProxyConfig.parse(config) }).node.cluster).toBe(expected);
});

test('settings of the ProxyConfig come out in the bootstrap', () => {
  const proxyConfig = ProxyConfig.parse({
    statsCompression: false,
    proxyMetadata: { METRICS_LOCALHOST_ACCESS_ONLY: 'true' },
    runtimeValues: { 're2.max_program_size.error_level': '', x: 'true' },
    tracing: { datadog: { address: '$(HOST_IP):8126' } },
  });
  const bootstrap = build({ proxyConfig, hostIp: '192.0.2.7' });
  expect(bootstrap.staticResources.listeners[0]?.name).toBe('127.0.0.1_15090');
  expect(JSON.stringify(bootstrap.staticResources.listeners)).not.toContain('Compressor');
  expect(JSON.stringify(bootstrap.layeredRuntime)).not.toContain('re2');
  expect(JSON.stringify(bootstrap.staticResources.clusters)).toContain('{"address":"192.0.2.7","portValue":8126}');
});
