import { beforeEach, expect, test } from '@jest/globals';
import { type Any, decodeAny, encodeAny, type JsonObject, validate } from '@kedge/envoy-api';
import { createMetricRegistry, type MetricRegistry } from '@kedge/observability';
import { collectingLogger } from '../testing/collecting-logger.ts';
import { extensionConverter } from './convert-extension.ts';
import { registerWasmMetrics } from './metrics.ts';
import type { ModuleRequest } from './module-cache.ts';

const types = 'type.googleapis.com/';
const http = `${types}envoy.extensions.filters.http.wasm.v3.Wasm`;
const network = `${types}envoy.extensions.filters.network.wasm.v3.Wasm`;
const variables = {
  ISTIO_META_WASM_IMAGE_PULL_SECRET: '{"auths":{}}',
  ISTIO_META_WASM_IMAGE_PULL_POLICY: 'Always',
  ISTIO_META_WASM_PLUGIN_RESOURCE_VERSION: '7',
};

let registry: MetricRegistry;
let asked: ModuleRequest[];
let problem: Error | undefined;
let convert: (resource: Any) => Promise<Any>;
beforeEach(() => {
  registry = createMetricRegistry();
  asked = [];
  problem = undefined;
  convert = extensionConverter({
    modules: {
      get: async (request) => {
        asked.push(request);
        if (problem) throw problem;
        return '/data/a.wasm';
      },
    },
    metrics: registerWasmMetrics(registry),
    log: collectingLogger().log,
  });
});

function plugin({ env = variables, ...config }: { readonly env?: Readonly<Record<string, string>> } & JsonObject = {}) {
  const remote = { httpUri: { uri: 'oci://ghcr.io/a:v1', timeout: '30s', cluster: '_' }, sha256: 'nil' };
  const vmConfig = { runtime: 'envoy.wasm.runtime.v8', code: { remote }, environmentVariables: { keyValues: env } };
  return { config: { name: 'p', rootId: 'root', vmConfig, ...config } };
}
const extension = (typedConfig: Any): Any => ({
  '@type': `${types}envoy.config.core.v3.TypedExtensionConfig`,
  name: 'shop/p',
  typedConfig,
});
const typedConfigOf = (resource: Any): JsonObject =>
  (decodeAny(encodeAny(resource)) as unknown as { readonly typedConfig: JsonObject }).typedConfig;

test.each([http, network])('%s: the module becomes a file', async (type) => {
  const converted = typedConfigOf(await convert(extension({ '@type': type, ...plugin() })));
  expect(converted).toEqual({
    '@type': type,
    config: {
      name: 'p',
      rootId: 'root',
      vmConfig: { runtime: 'envoy.wasm.runtime.v8', code: { local: { filename: '/data/a.wasm' } } },
    },
  });
  expect(asked).toEqual([
    {
      url: 'oci://ghcr.io/a:v1',
      checksum: '',
      resource: 'shop/p',
      version: '7',
      policy: 'Always',
      timeoutMs: 30_000,
      pullSecret: '{"auths":{}}',
    },
  ]);
  expect(await registry.text()).toContain('istio_agent_wasm_config_conversion_count{result="success"} 1');
});

test("the module's own variables stay, the agent's don't", async () => {
  const resource = extension({ '@type': http, ...plugin({ env: { ...variables, MODE: 'x' } }) });
  const { config } = typedConfigOf(await convert(resource)) as unknown as ReturnType<typeof plugin>;
  expect(config.vmConfig.environmentVariables).toEqual({ keyValues: { MODE: 'x' } });
});

test('a TypedStruct of a Wasm filter is converted, too', async () => {
  const struct = { '@type': `${types}udpa.type.v1.TypedStruct`, typeUrl: http, value: plugin() };
  expect(typedConfigOf(await convert(extension(struct)))).toMatchObject({
    '@type': http,
    config: { vmConfig: { code: { local: { filename: '/data/a.wasm' } } } },
  });
});

const local = plugin({ vmConfig: { code: { local: { filename: '/x' } } } });
test.each([
  ['with a local module', { '@type': http, ...local }],
  ['of another kind', { '@type': `${types}envoy.extensions.filters.http.rbac.v3.RBAC` }],
  ['in a TypedStruct of another kind', { '@type': `${types}udpa.type.v1.TypedStruct`, typeUrl: 'x', value: {} }],
])('an extension %s stays what it is', async (_, typedConfig) => {
  const resource = extension(typedConfig);
  expect(await convert(resource)).toBe(resource);
  expect(asked).toEqual([]);
  expect(await registry.text()).toContain('conversion_count{result="no_remote_load"} 1');
});

test.each([
  [http, {}, 'http', false],
  [http, { failOpen: true }, 'http', true],
  [http, { failurePolicy: 'FAIL_OPEN' }, 'http', true],
  [http, { failurePolicy: 'FAIL_CLOSED', failOpen: true }, 'http', false],
  [network, { failurePolicy: 'FAIL_OPEN' }, 'network', true],
  [network, {}, 'network', false],
])('without the module, %s with %j is an RBAC filter for %s that lets pass: %s', async (type, policy, kind, isOpen) => {
  problem = new Error('not there');
  const rbac = typedConfigOf(await convert(extension({ '@type': type, ...plugin(policy) })));
  expect(rbac['@type']).toBe(`${types}envoy.extensions.filters.${kind}.rbac.v3.RBAC`);
  expect(rbac['rules']).toEqual(isOpen ? undefined : {});
  expect(validate('envoy.extensions.filters.http.rbac.v3.RBAC', kind === 'http' ? rbac : {})).toEqual([]);
  expect(await registry.text()).toContain('conversion_count{result="fetch_failure"} 1');
});

test.each([
  ['a pull secret that could not be read', plugin({ env: { ISTIO_META_WASM_IMAGE_PULL_SECRET: '' } })],
  ['a module without a URL', plugin({ vmConfig: { code: { remote: { sha256: 'nil' } } } })],
])('%s is a failure, without asking', async (_, message) => {
  const converted = typedConfigOf(await convert(extension({ '@type': http, ...message })));
  expect(converted['rules']).toEqual({});
  expect(asked).toEqual([]);
});
