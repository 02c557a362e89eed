import { describe, expect, test } from '@jest/globals';
import { query } from '@kedge/incremental';
import type { MeshRead } from '@kedge/config';
import { meshOf, type MeshOptions, proxyOf } from '../testing/mesh.ts';
import { type HttpConnectionManager, httpConnectionManager } from './http-connection-manager.ts';
import type { ListenerClass } from './listener-class.ts';

const managerOf = query('testManager', (read: MeshRead, listenerClass: string): HttpConnectionManager =>
  httpConnectionManager(read, {
    class: listenerClass as ListenerClass,
    statPrefix: 'test',
    routes: { fetched: '80' },
  }),
);

function manager(
  options: MeshOptions & { readonly class?: ListenerClass; readonly metadata?: Readonly<Record<string, unknown>> } = {},
): HttpConnectionManager {
  const proxy = proxyOf('web', { metadata: { ...options.metadata } });
  return meshOf('', options).evaluate(proxy, managerOf, options.class ?? 'outbound');
}

const filterNames = ({ httpFilters = [] }: HttpConnectionManager): readonly (string | undefined)[] =>
  httpFilters.map(({ name }) => name);

describe('filters', () => {
  const COMMON = ['envoy.filters.http.fault', 'envoy.filters.http.cors'];

  test('outbound', () => {
    expect(filterNames(manager())).toEqual([
      'istio.metadata_exchange',
      'envoy.filters.http.grpc_stats',
      'istio.alpn',
      ...COMMON,
      'envoy.filters.http.router',
    ]);
  });

  test('inbound, with metrics', () => {
    const mesh = 'defaultProviders: {metrics: [prometheus]}';
    expect(filterNames(manager({ class: 'inbound', mesh }))).toEqual([
      'istio.metadata_exchange',
      'envoy.filters.http.grpc_stats',
      ...COMMON,
      'istio.stats',
      'envoy.filters.http.router',
    ]);
  });

  test('those that switches ask for or leave out', () => {
    const environment = {
      PILOT_ENABLE_METADATA_EXCHANGE: 'false',
      PILOT_ENABLE_ALPN_FILTER: 'false',
      PILOT_ENABLE_PERSISTENT_SESSION_FILTER: 'true',
    };
    expect(filterNames(manager({ environment }))).toEqual([
      'envoy.filters.http.grpc_stats',
      ...COMMON,
      'envoy.filters.http.stateful_session',
      'envoy.filters.http.router',
    ]);
  });
});

describe('paths', () => {
  test.each([
    ['NONE', { normalizePath: false, pathWithEscapedSlashesAction: 'KEEP_UNCHANGED' }],
    ['BASE', { normalizePath: true, pathWithEscapedSlashesAction: 'KEEP_UNCHANGED' }],
    ['MERGE_SLASHES', { normalizePath: true, mergeSlashes: true, pathWithEscapedSlashesAction: 'KEEP_UNCHANGED' }],
    [
      'DECODE_AND_MERGE_SLASHES',
      { normalizePath: true, mergeSlashes: true, pathWithEscapedSlashesAction: 'UNESCAPE_AND_FORWARD' },
    ],
  ])('%s', (normalization, expected) => {
    expect(manager({ mesh: `pathNormalization: {normalization: ${normalization}}` })).toMatchObject(expected);
  });
});

describe('settings for connections', () => {
  const mesh = `
defaultConfig:
  connectionSettings:
    httpIdleTimeout: 60s
    httpStreamIdleTimeout: 5s
    httpRequestTimeout: 7s
    httpMaxConcurrentStreams: 9
    http2InitialStreamWindowSize: -1
    httpHeadersWithUnderscoresAction: HEADERS_WITH_UNDERSCORES_REJECT_REQUEST
    httpMergeSlashes: false
    httpPathWithEscapedSlashesAction: REJECT_REQUEST
pathNormalization: {normalization: MERGE_SLASHES}`;

  test('lie over what the mesh says of paths', () => {
    expect(manager({ mesh })).toMatchObject({
      commonHttpProtocolOptions: { idleTimeout: '60s', headersWithUnderscoresAction: 'REJECT_REQUEST' },
      streamIdleTimeout: '5s',
      requestTimeout: '7s',
      http2ProtocolOptions: { maxConcurrentStreams: 9 },
      mergeSlashes: false,
      pathWithEscapedSlashesAction: 'REJECT_REQUEST',
    });
    expect(manager({ mesh }).http2ProtocolOptions).not.toHaveProperty('initialStreamWindowSize');
  });

  test('of the proxy replace those of the mesh', () => {
    const metadata = { PROXY_CONFIG: { connectionSettings: { httpRequestTimeout: '1s' } } };
    expect(manager({ mesh, metadata })).toMatchObject({ requestTimeout: '1s', streamIdleTimeout: '0s' });
  });
});

test('an idle timeout that the proxy states', () => {
  expect(manager({ metadata: { IDLE_TIMEOUT: '75s' } }).commonHttpProtocolOptions).toEqual({ idleTimeout: '75s' });
  expect(manager({ metadata: { IDLE_TIMEOUT: 'soon' } })).not.toHaveProperty('commonHttpProtocolOptions');
});

test('HTTP/1.0 where the proxy or the mesh takes it', () => {
  expect(manager()).not.toHaveProperty('httpProtocolOptions');
  expect(manager({ metadata: { HTTP10: '1' } }).httpProtocolOptions).toEqual({ acceptHttp10: true });
  expect(manager({ environment: { PILOT_HTTP10: 'true' } }).httpProtocolOptions).toEqual({ acceptHttp10: true });
});

describe('headers', () => {
  const withHeaders = (proxyHeaders: Readonly<Record<string, unknown>>, listenerClass: ListenerClass = 'inbound') =>
    manager({ class: listenerClass, metadata: { PROXY_CONFIG: { proxyHeaders } } });

  test('the server is named inbound, and left to Envoy outbound', () => {
    expect(manager({ class: 'inbound' })).toMatchObject({ serverName: 'istio-envoy' });
    expect(manager()).not.toHaveProperty('serverName');
    expect(withHeaders({ server: { value: 'me' } }, 'outbound')).toMatchObject({ serverName: 'me' });
    expect(withHeaders({ server: { disabled: true } })).toMatchObject({ serverHeaderTransformation: 'PASS_THROUGH' });
  });

  test('what can be switched on and off', () => {
    const settings = withHeaders({
      requestId: { disabled: true },
      xForwardedPort: { enabled: true },
      envoyDebugHeaders: { disabled: true },
      preserveHttp1HeaderCase: true,
      metadataExchangeHeaders: { mode: 'IN_MESH' },
    });
    expect(settings).toMatchObject({
      generateRequestId: false,
      appendXForwardedPort: true,
      httpProtocolOptions: { headerKeyFormat: { statefulFormatter: { name: 'preserve_case' } } },
    });
    expect(settings.httpFilters?.at(-1)?.typedConfig).toMatchObject({ suppressEnvoyHeaders: true });
  });

  test('propagation only within the mesh is for clients to say', () => {
    const headers = { metadataExchangeHeaders: { mode: 'IN_MESH' } };
    expect(JSON.stringify(withHeaders(headers, 'outbound'))).toContain('skip_external_clusters');
    expect(JSON.stringify(withHeaders(headers))).not.toContain('skip_external_clusters');
  });
});

describe('tracing', () => {
  const tags = (settings: HttpConnectionManager) =>
    Object.fromEntries((settings.tracing?.customTags ?? []).map((tag) => [tag.tag, tag]));

  test('none where the mesh has none', () => {
    expect(manager({ mesh: 'enableTracing: false' })).not.toHaveProperty('tracing');
  });

  test('who the workload is, and what was tried out', () => {
    const metadata = { LABELS: { 'service.istio.io/canonical-name': 'web' }, MESH_ID: 'm' };
    const found = tags(manager({ metadata }));
    expect(found).toMatchObject({
      'istio.canonical_service': { literal: { value: 'web' } },
      'istio.canonical_revision': { literal: { value: 'latest' } },
      'istio.mesh_id': { literal: { value: 'm' } },
      'istio.namespace': { literal: { value: 'shop' } },
    });
    expect(Object.keys(found).filter((name) => name.startsWith('istio.authorization.dry_run.'))).toHaveLength(4);
    expect(Object.keys(found)).toEqual(Object.keys(found).toSorted());
  });

  test('tags, share and length that a proxy states', () => {
    const tracing = {
      sampling: 12.5,
      maxPathTagLength: 99,
      enableIstioTags: false,
      customTags: {
        b: { header: { name: 'x-b', defaultValue: 'none' } },
        a: { literal: { value: 'A' } },
        c: { environment: { name: 'C' } },
      },
    };
    expect(manager({ metadata: { PROXY_CONFIG: { tracing } } }).tracing).toEqual({
      clientSampling: { value: 100 },
      overallSampling: { value: 100 },
      randomSampling: { value: 12.5 },
      maxPathTagLength: 99,
      customTags: [
        { tag: 'a', literal: { value: 'A' } },
        { tag: 'b', requestHeader: { name: 'x-b', defaultValue: 'none' } },
        { tag: 'c', environment: { name: 'C' } },
      ],
    });
  });

  test.each([
    [undefined, 1],
    [0, 1],
    [50, 50],
    [101, 1],
  ])('a share of %s comes to %s', (sampling, value) => {
    const metadata = { PROXY_CONFIG: { tracing: { sampling } } };
    expect(manager({ metadata }).tracing?.randomSampling).toEqual({ value });
  });
});
