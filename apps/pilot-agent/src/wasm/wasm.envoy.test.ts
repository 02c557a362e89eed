import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { type JsonObject, packAny } from '@kedge/envoy-api';
import { freePorts, getText, Proxy, until } from '@kedge/testbed';
import { Application } from '../testing/application.ts';
import { FixedControlPlane } from '../testing/fixed-control-plane.ts';
import { TestRegistry } from './testing/test-registry.ts';

const envoy = process.env['ENVOY_BIN'] ?? '';
if (!envoy) throw new Error('ENVOY_BIN is not set');
jest.setTimeout(60_000);

/** A filter that does nothing: memory, an allocator, and the function by which Envoy knows the version of the interface. */
const emptyFilter = Buffer.from(
  [
    '0061736d01000000', // magic number and version
    '01090260000060017f017f', // types: () -> (), (i32) -> i32
    '0303020001', // a function of each
    '0503010001', // a page of memory
    '072d03', // three exports: memory, and the functions
    '066d656d6f72790200',
    '1770726f78795f6162695f76657273696f6e5f305f325f310000',
    '066d616c6c6f630001',
    '0a0a020200 0b05004180080b', // bodies: nothing; the address 1024
  ]
    .join('')
    .replaceAll(' ', ''),
  'hex',
);

const types = 'type.googleapis.com/';
const extensionType = `${types}envoy.config.core.v3.TypedExtensionConfig`;
const hcm = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';

let owned: AsyncDisposableStack;
let controlPlane: FixedControlPlane;
let registry: TestRegistry;
let proxy: Proxy;
let port = 0;

beforeAll(async () => {
  owned = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'wasm-'));
  owned.defer(() => rm(dir, { recursive: true, force: true }));
  const application = owned.use(await new Application().start('127.0.0.1'));
  registry = owned.use(await new TestRegistry().start());
  controlPlane = owned.use(await new FixedControlPlane().start());
  [port = 0] = await freePorts(1);
  const manager = packAny(hcm, httpConnectionManager());
  controlPlane.set(`${types}envoy.config.cluster.v3.Cluster`, {
    application: packAny('envoy.config.cluster.v3.Cluster', {
      name: 'application',
      loadAssignment: { clusterName: 'application', endpoints: [{ lbEndpoints: [endpoint(application.port)] }] },
    }),
  });
  controlPlane.set(`${types}envoy.config.listener.v3.Listener`, {
    inbound: packAny('envoy.config.listener.v3.Listener', {
      name: 'inbound',
      address: { socketAddress: { address: '127.0.0.1', portValue: port } },
      filterChains: [{ filters: [{ name: 'http', typedConfig: manager }] }],
    }),
  });
  controlPlane.set(extensionType, plugin(await push(emptyFilter)));
  proxy = owned.use(
    await Proxy.start({
      name: 'web',
      namespace: 'shop',
      kind: 'sidecar',
      address: '127.0.0.1',
      labels: {},
      discoveryPort: controlPlane.port,
      envoy,
      dir,
    }),
  );
});
afterAll(() => owned.disposeAsync());

const endpoint = (portValue: number) => ({
  endpoint: { address: { socketAddress: { address: '127.0.0.1', portValue } } },
});

function httpConnectionManager() {
  const wasm = {
    name: 'filter',
    configDiscovery: {
      configSource: { ads: {}, initialFetchTimeout: '0s' },
      typeUrls: ['wasm', 'rbac'].map((name) => `${types}envoy.extensions.filters.http.${name}.v3.${title(name)}`),
    },
  };
  const router = { '@type': `${types}envoy.extensions.filters.http.router.v3.Router` };
  return {
    statPrefix: 'inbound',
    routeConfig: {
      virtualHosts: [
        { name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { cluster: 'application' } }] },
      ],
    },
    httpFilters: [wasm, { name: 'envoy.filters.http.router', typedConfig: router }],
  };
}

const title = (name: string): string => (name === 'rbac' ? 'RBAC' : 'Wasm');

/** Puts a module into the registry and gives its URL. */
async function push(module: Buffer): Promise<string> {
  const digest = await registry.pushArchive('v1', module);
  return `oci://${registry.host}/istio/plugin@sha256:${digest}`;
}

function plugin(uri: string, config: JsonObject = {}) {
  const httpUri = { uri, timeout: '5s', cluster: '_' };
  const wasm = packAny('envoy.extensions.filters.http.wasm.v3.Wasm', {
    config: {
      name: 'filter',
      ...config,
      vmConfig: {
        runtime: 'envoy.wasm.runtime.v8',
        code: { remote: { httpUri, sha256: 'nil' } },
        environmentVariables: { keyValues: { ISTIO_META_WASM_PLUGIN_RESOURCE_VERSION: '1' } },
      },
    },
  });
  return { filter: packAny('envoy.config.core.v3.TypedExtensionConfig', { name: 'filter', typedConfig: wasm }) };
}

const traffic = (): Promise<string> => getText(`http://127.0.0.1:${port}/`).catch(({ message }: Error) => message);
const soon = (what: string, pattern: RegExp) => until(what, async () => pattern.test(await traffic()));

test('a module out of an image is a file for Envoy, and runs', async () => {
  await proxy.ready();
  await soon('traffic', /hello/);
  const dump = await getText(`${proxy.admin.url}/config_dump`);
  expect(dump).toMatch(/"filename": "[^"]*[0-9a-f]{64}\.wasm"/);
  expect(dump).not.toContain('ISTIO_META_WASM');
  const stats = await getText(`${proxy.admin.url}/stats?filter=wasm`);
  expect(stats).toMatch(/runtime\.v8\.active: [1-9]/);
});

test('without its module nothing passes, unless it may fail', async () => {
  const nothing = `oci://${registry.host}/istio/plugin:missing`;
  controlPlane.set(extensionType, plugin(nothing));
  await soon('a refusal', /answers 403/);
  controlPlane.set(extensionType, plugin(nothing, { failurePolicy: 'FAIL_OPEN' }));
  await soon('traffic', /hello/);
  expect(controlPlane.told.filter((text) => text.includes(': '))).toEqual([]);
});
