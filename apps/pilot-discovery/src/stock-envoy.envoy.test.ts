import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Any, JsonObject, Node } from '@kedge/envoy-api';
import { Proxy, until } from '@kedge/testbed';
import { decodeResource, readScenario, renderProxy } from '@kedge/render';
import { parseProxy } from '@kedge/model';
import { conformanceScenario, scenarioNames } from './testing/fixtures.ts';
import { LivePlane } from './testing/live-plane.ts';

const envoy = process.env['ENVOY_BIN'] ?? '';
let dir: string;
/** Names of the extensions that the Envoy has, as it tells a control plane. */
let extensions: readonly { readonly name: string }[];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'stock-envoy-'));
  const empty = readScenario({ manifests: [], proxies: { name: 'proxies.yaml', text: 'proxies: []' } });
  await using plane = await LivePlane.start(empty);
  await using _proxy = await Proxy.start({
    name: 'any',
    namespace: 'test',
    kind: 'router',
    address: '127.0.0.1',
    labels: {},
    discoveryPort: plane.port,
    envoy,
    dir,
  });
  const [opened] = await until('the connection', () => {
    const events = plane.events('opened');
    return events.length > 0 && events;
  });
  extensions = [...opened!.connection.client.proxy.extensions].map((name) => ({ name }));
});

afterAll(() => rm(dir, { recursive: true, force: true }));

const cases = scenarioNames.flatMap((name) => {
  const { push, proxies } = conformanceScenario(name);
  const ofEnvoys = proxies.filter(({ proxy }) => proxy.type !== 'ztunnel');
  return ofEnvoys.map(({ name: proxy, node }) => ({ name, proxy, push, node }));
});

test('there are cases', () => {
  expect(cases.length).toBeGreaterThan(100);
});

test.each(cases)('a stock Envoy takes what $proxy of $name gets', async ({ name, proxy, push, node }) => {
  const parsed = parseProxy({ ...node, extensions });
  if ('problem' in parsed) throw new Error(parsed.problem);
  const { cds = [], lds = [], rds = [] } = renderProxy(push, parsed.proxy);
  const routes = new Map(rds.map((resource) => [resource.name, decodeResource(resource)]));
  const listeners = lds.map((resource) => inlineRoutes(decodeResource(resource), routes));
  const file = join(dir, `${name}-${proxy}.json`);
  await writeFile(file, JSON.stringify(bootstrap(node as Node, cds.map(decodeResource), listeners)));
  expect(await complaints(file)).toBe('');
});

test('it does complain', async () => {
  const file = join(dir, 'wrong.json');
  const cluster = { '@type': 'type.googleapis.com/envoy.config.cluster.v3.Cluster', name: 'wrong', type: 'EDS' };
  await writeFile(file, JSON.stringify(bootstrap({}, [cluster], [])));
  expect(await complaints(file)).toContain('EDS');
});

/** What Envoy has against a configuration. */
async function complaints(file: string): Promise<string> {
  // It opens /dev/stdout for access logs, which it can't where that is a socket.
  const child = spawn(envoy, ['--mode', 'validate', '-c', file, '--log-level', 'error'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [output] = await Promise.all([child.stderr.setEncoding('utf8').toArray(), once(child, 'exit')]);
  return output.join('');
}

const viaCluster = (clusterName: string): JsonObject => ({
  apiType: 'DELTA_GRPC',
  transportApiVersion: 'V3',
  grpcServices: [{ envoyGrpc: { clusterName } }],
});

/** All of a proxy's configuration in one file, which an Envoy checks without listening or connecting. */
function bootstrap(node: Node, clusters: readonly Any[], listeners: readonly JsonObject[]): JsonObject {
  // What the agent's bootstrap has.
  const own = ['xds-grpc', 'sds-grpc'].map((name) => ({ name, type: 'STATIC', http2ProtocolOptions: {} }));
  return {
    node: { id: node.id ?? '', cluster: 'test', metadata: node.metadata ?? {} },
    dynamicResources: { adsConfig: viaCluster('xds-grpc') },
    staticResources: {
      clusters: [...own, ...clusters.map(withoutType)],
      listeners,
    },
  };
}

/** A listener with the route configurations that its filters would fetch. */
function inlineRoutes(listener: Any, routes: ReadonlyMap<string, Any>): JsonObject {
  const text = JSON.stringify(withoutType(listener), (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('rds' in value)) return value;
    const { rds, ...manager } = value as { readonly rds: { readonly routeConfigName: string } };
    const routeConfig = routes.get(rds.routeConfigName);
    return routeConfig ? { ...manager, routeConfig: withoutType(routeConfig) } : value;
  });
  return JSON.parse(text) as JsonObject;
}

function withoutType(any: Any): JsonObject {
  const { '@type': _type, ...message } = any;
  return message as JsonObject;
}
