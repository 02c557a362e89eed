import { describe, expect, test } from '@jest/globals';
import type { JsonObject } from '../parse/json.ts';
import { findings, testRows } from './testing/rows.ts';

describe('WasmPlugin', () => {
  testRows('WasmPlugin', [
    ['an image', { url: 'oci://registry.example.com/filter:v1', match: [{}] }],
    ['an image without scheme', { url: 'registry.example.com/filter:v1' }],
    ['no module', {}, 'error invalid-url spec.url'],
    ['a module by FTP', { url: 'ftp://a/b' }, 'error invalid-url spec.url'],
    ['no URL', { url: '#%a' }, 'error invalid-url spec.url'],
    ['a checksum in capitals', { url: 'oci://a', sha256: 'A'.repeat(64) }, 'error invalid-checksum spec.sha256'],
    ['names too long', { url: 'oci://a', pluginName: 'a'.repeat(257), imagePullSecret: 'a'.repeat(254) }, 'error too-long spec.imagePullSecret', 'error too-long spec.pluginName'], // prettier-ignore
    ['environment', { url: 'oci://a', vmConfig: { env: [{ name: 'A', valueFrom: 'HOST', value: '1' }, { name: 'A' }] } }, 'error conflicting-fields spec.vmConfig.env[0].value', 'error duplicate-entry spec.vmConfig.env[1].name'], // prettier-ignore
    ['a port out of range', { url: 'oci://a', match: [{ ports: [{ number: 0 }] }] }, 'error invalid-port spec.match[0].ports[0].number'], // prettier-ignore
  ]);
});

describe('TrafficExtension', () => {
  testRows('TrafficExtension', [
    ['Lua', { lua: { inlineCode: 'x' } }],
    ['nothing', {}, 'error required spec'],
    ['too much Lua', { lua: { inlineCode: 'x'.repeat(65537) } }, 'error too-large spec.lua.inlineCode'],
    ['a match of nothing', { wasm: { url: 'oci://a' }, match: [{}] }, 'error empty spec.match[0]'],
  ]);
});

describe('Telemetry', () => {
  testRows('Telemetry', [
    ['two ways to trace', { tracing: [{}, { providers: [{ name: 'a' }, {}] }] }, 'warning too-many spec.tracing', 'warning too-many spec.tracing[1].providers', 'error required spec.tracing[1].providers[1].name'], // prettier-ignore
    ['tags', { tracing: [{ randomSamplingPercentage: 101, customTags: { a: {}, b: { literal: {} } } }] }, 'error out-of-range spec.tracing[0].randomSamplingPercentage', 'error required spec.tracing[0].customTags.a', 'error required spec.tracing[0].customTags.b.literal.value'], // prettier-ignore
    ['overrides', { metrics: [{ overrides: [{ match: { customMetric: '' }, tagOverrides: { a: {}, b: { operation: 'REMOVE', value: '1' } } }] }] }, 'error required spec.metrics[0].overrides[0].match.customMetric', 'error required spec.metrics[0].overrides[0].tagOverrides.a.value', 'error conflicting-fields spec.metrics[0].overrides[0].tagOverrides.b.value'], // prettier-ignore
    ['a filter', { accessLogging: [{ filter: { expression: 'response.code >= 400' } }] }],
    ['half a filter', { accessLogging: [{ filter: { expression: 'response.code >=' } }] }, 'error invalid-cel spec.accessLogging[0].filter.expression'], // prettier-ignore
  ]);
});

describe('ProxyConfig', () => {
  testRows('ProxyConfig', [
    ['all cores', { concurrency: 0 }],
    ['less than none', { concurrency: -1 }, 'error out-of-range spec.concurrency'],
  ]);
});

describe('EnvoyFilter', () => {
  const HCM = 'envoy.filters.network.http_connection_manager';
  const filter = (patch: JsonObject): JsonObject => ({ configPatches: [patch] });
  const remove = (applyTo: string, match: JsonObject): JsonObject =>
    filter({ applyTo, match, patch: { operation: 'REMOVE' } });
  const inFilter = (applyTo: string, match: JsonObject): JsonObject => remove(applyTo, { listener: { filterChain: { filter: match } } }); // prettier-ignore
  const add = (applyTo: string, value: JsonObject): JsonObject =>
    filter({ applyTo, patch: { operation: 'ADD', value } });
  const P = 'spec.configPatches[0]';
  const F = `${P}.match.listener.filterChain.filter`;
  testRows('EnvoyFilter', [
    ['nothing to patch', filter({}), `error required ${P}.applyTo`],
    ['nothing to add', filter({ applyTo: 'CLUSTER', patch: { operation: 'ADD' } }), `error required ${P}.patch.value`],
    ['waypoints are not looked at', filter({ match: { context: 'WAYPOINT' } })],
    ['a cluster of a listener', remove('LISTENER', { cluster: {} }), `error conflicting-fields ${P}.match.cluster`],
    [
      'versions',
      remove('LISTENER', { proxy: { proxyVersion: '(' } }),
      `error invalid-regex ${P}.match.proxy.proxyVersion`,
    ],
    ['a filter without name', inFilter('NETWORK_FILTER', {}), `error invalid-filter-match ${F}.name`],
    ['a filter within one that has none', inFilter('HTTP_FILTER', { name: 'a', subFilter: { name: 'b' } }), `error invalid-filter-match ${F}.name`], // prettier-ignore
    ['a filter within', inFilter('HTTP_FILTER', { name: HCM, subFilter: { name: 'b' } })],
    [
      'a filter by its old name',
      inFilter('NETWORK_FILTER', { name: 'envoy.tcp_proxy' }),
      `warning deprecated-name ${F}.name`,
    ],
    ['a filter of a listener', inFilter('LISTENER', { name: 'a' }), `warning ineffective-field ${F}`],
    ['an extension without type', add('HTTP_FILTER', { name: 'a' }), `warning missing-typed-config ${P}.patch.value`],
    ['an extension with type', add('HTTP_FILTER', { name: 'a', typed_config: {} })],
  ]);

  test('the content of patches is checked by whoever knows the types', () => {
    const asked: unknown[] = [];
    const found = findings(
      'EnvoyFilter',
      add('CLUSTER', { name: 1 }),
      {},
      {
        checkEnvoyMessage: (type, value) => {
          asked.push(type, value);
          return [{ severity: 'error', message: 'name: 1 is not a string' }];
        },
      },
    );
    expect(asked).toEqual(['envoy.config.cluster.v3.Cluster', { name: 1 }]);
    expect(found).toEqual([`error invalid-patch ${P}.patch.value`]);
  });
});
