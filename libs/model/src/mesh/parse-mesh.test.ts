import { describe, expect, test } from '@jest/globals';
import { defaultMeshConfig, defaultProxyConfig } from './defaults.ts';
import { mergeProxyConfig } from './merge-proxy-config.ts';
import { parseMeshConfig, parseMeshNetworks } from './parse-mesh.ts';

function mesh(text: string) {
  const parsed = parseMeshConfig(text, 'mesh.yaml');
  expect(parsed.diagnostics).toEqual([]);
  return parsed.mesh;
}

describe('parseMeshConfig', () => {
  test.each(['', '# nothing', '{}', 'rootNamespace: null'])('%j is the defaults', (text) => {
    expect(mesh(text)).toEqual(defaultMeshConfig);
  });

  test('the defaults are typed', () => {
    expect(defaultMeshConfig).toMatchObject({
      connectTimeout: 10_000,
      rootNamespace: 'istio-system',
      outboundTrafficPolicy: { mode: 'ALLOW_ANY' },
      defaultConfig: { drainDuration: 45_000, statusPort: 15020 },
    });
  });

  test('a field replaces that of the base as a whole', () => {
    const { localityLbSetting, defaultServiceExportTo } = mesh(`
localityLbSetting: { failoverPriority: [zone] }
defaultServiceExportTo: ["."]`);
    expect(localityLbSetting).toEqual({ failoverPriority: ['zone'], failover: [], distribute: [] });
    expect(defaultServiceExportTo).toEqual(['.']);
  });

  test('the default proxy configuration and the default providers are merged by field', () => {
    const { defaultConfig, defaultProviders } = parseMeshConfig(
      'defaultConfig: { concurrency: 2 }\ndefaultProviders: { tracing: [zipkin] }',
      undefined,
      mesh('defaultConfig: { meshId: m }\ndefaultProviders: { metrics: [prometheus] }'),
    ).mesh;
    expect(defaultConfig).toEqual({ ...defaultProxyConfig, meshId: 'm', concurrency: 2 });
    expect(defaultProviders).toEqual({ tracing: ['zipkin'], metrics: ['prometheus'], accessLogging: [] });
  });

  test('providers are merged by name', () => {
    const { extensionProviders } = mesh(`
extensionProviders:
- { name: envoy, envoyFileAccessLog: { path: /tmp/log } }
- { name: jaeger, zipkin: { service: jaeger, port: 9411 } }`);
    expect(extensionProviders.map((p) => p.name)).toEqual(['prometheus', 'stackdriver', 'envoy', 'jaeger']);
    expect(extensionProviders[2]?.envoyFileAccessLog?.path).toBe('/tmp/log');
  });

  test('trust domain aliases add up', () => {
    const base = mesh('trustDomainAliases: [b]');
    expect(parseMeshConfig('trustDomainAliases: [a, b]', undefined, base).mesh.trustDomainAliases).toEqual(['a', 'b']);
  });

  test('an error leaves the base; an unknown field is a warning only', () => {
    const { mesh: kept, diagnostics } = parseMeshConfig('trustDomain: td\nconnectTimeout: 5', 'mesh.yaml');
    expect(kept).toBe(defaultMeshConfig);
    expect(diagnostics).toMatchObject([{ severity: 'error', kind: 'MeshConfig', field: 'connectTimeout', line: 2 }]);

    const lenient = parseMeshConfig('trustDomian: x\nrootNamespace: root', 'mesh.yaml');
    expect(lenient.mesh.rootNamespace).toBe('root');
    expect(lenient.diagnostics).toMatchObject([{ severity: 'warning', code: 'unknown-field', line: 1 }]);
  });

  test.each(['a: [', 'a: 1\n---\nb: 2', '[]', 'text'])('%j is an error', (text) => {
    const { mesh: kept, diagnostics } = parseMeshConfig(text);
    expect(kept).toBe(defaultMeshConfig);
    expect(diagnostics).toMatchObject([{ severity: 'error', kind: 'MeshConfig' }]);
  });
});

describe('mergeProxyConfig', () => {
  const base = mergeProxyConfig(defaultProxyConfig, {
    proxyMetadata: { A: '1', B: '1' },
    proxyHeaders: { server: { value: 'edge' }, requestId: { disabled: true } },
    tracing: { sampling: 5, zipkin: { address: 'z:1' } },
  }).value;

  test('metadata is merged by key, headers by field, the rest replaces', () => {
    const { value } = mergeProxyConfig(base, {
      proxy_metadata: { B: '2', C: '3' },
      proxyHeaders: { server: { disabled: true } },
      tracing: { sampling: 10 },
    });
    expect(value.proxyMetadata).toEqual({ A: '1', B: '2', C: '3' });
    expect(value.proxyHeaders).toEqual({ server: { disabled: true }, requestId: { disabled: true } });
    expect(value.tracing).toEqual({ sampling: 10, customTags: {} });
    expect(value.statusPort).toBe(15020);
  });

  test('a field takes the place of the others of its oneof', () => {
    const { value } = mergeProxyConfig(base, { tracingServiceName: 'CANONICAL_NAME_ONLY' });
    expect(value).toMatchObject({ tracingServiceName: 'CANONICAL_NAME_ONLY' });
    expect(value.serviceCluster).toBeUndefined();
  });

  test('nothing, and anything with an error, leaves the base', () => {
    expect(mergeProxyConfig(base, undefined).value).toEqual(base);
    const wrong = mergeProxyConfig(base, { concurrency: 'many', meshId: 'm' });
    expect(wrong.value).toBe(base);
    expect(wrong.findings).toMatchObject([{ code: 'wrong-type', path: ['concurrency'] }]);
  });
});

test('parseMeshNetworks', () => {
  const text =
    'networks:\n  a:\n    endpoints: [{ fromRegistry: c1 }]\n    gateways: [{ address: 1.1.1.1, port: 15443 }]';
  expect(parseMeshNetworks(text)).toEqual({
    networks: {
      networks: { a: { endpoints: [{ fromRegistry: 'c1' }], gateways: [{ address: '1.1.1.1', port: 15443 }] } },
    },
    diagnostics: [],
  });
  expect(parseMeshNetworks('networks: 1', 'n')).toMatchObject({
    networks: { networks: {} },
    diagnostics: [{ severity: 'error', kind: 'MeshNetworks', field: 'networks', file: 'n', line: 1 }],
  });
});

test.each([
  ['endpoints: [{ fromCidr: nonsense }]', 'networks.a.endpoints[0].fromCidr'],
  ['gateways: [{ address: "no such", port: 1 }]', 'networks.a.gateways[0].address'],
  ['gateways: [{ port: 1 }]', 'networks.a.gateways[0]'],
  ['gateways: [{ registryServiceName: gw.istio-system.svc.cluster.local }]', 'networks.a.gateways[0].port'],
])('a network with %s is refused', (network, field) => {
  const { networks, diagnostics } = parseMeshNetworks(`networks: { a: { ${network} } }`);
  expect(diagnostics).toMatchObject([{ severity: 'error', field }]);
  expect(networks).toEqual({ networks: {} });
});
