import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { TYPE_URLS } from '@kedge/networking';
import { readScenario } from '@kedge/render';
import { until } from '@kedge/testbed';
import { AdsClient } from '../testing/ads-client.ts';
import { LivePlane } from '../testing/live-plane.ts';

const manifests = `
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {clusterIP: 10.96.0.1, selector: {app: web}, ports: [{name: http, port: 80, targetPort: 8080}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: web, namespace: shop, labels: {kubernetes.io/service-name: web}}
addressType: IPv4
ports: [{name: http, port: 8080}]
endpoints: [{addresses: [10.1.0.1], conditions: {ready: true}}]
---
apiVersion: v1
kind: Secret
metadata: {name: hidden, namespace: shop}
data: {key: aGlkZGVu}
---
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: web, namespace: shop}
spec: {host: web}
`;
const CLUSTER = 'outbound|80||web.shop.svc.cluster.local';
const node = {
  id: 'sidecar~10.0.0.9~client.shop~shop.svc.cluster.local',
  metadata: { NAMESPACE: 'shop', CLUSTER_ID: 'Kubernetes', ISTIO_VERSION: '1.32.0', LABELS: { app: 'client' } },
};

let plane: LivePlane;
let client: AdsClient;

beforeAll(async () => {
  const scenario = readScenario({
    manifests: [{ name: 'input.yaml', text: manifests }],
    proxies: { name: 'proxies.yaml', text: 'proxies: []\nenv: {PILOT_DEBOUNCE_AFTER: 1ms}' },
  });
  plane = await LivePlane.start(scenario);
  client = new AdsClient(plane.port, 'sotw', node);
  await client.subscribe(TYPE_URLS.CDS);
  await client.subscribe(TYPE_URLS.EDS, [CLUSTER]);
  await until('the ACKs', () => plane.events('ack').length === 2);
});

afterAll(async () => {
  client[Symbol.dispose]();
  await plane[Symbol.asyncDispose]();
});

test('syncz: nonces of what was sent and accepted', async () => {
  const [status] = (await plane.debugJson('/debug/syncz')) as readonly Readonly<Record<string, unknown>>[];
  expect(status).toMatchObject({
    proxy: 'client.shop',
    proxy_type: 'sidecar',
    cluster_id: 'Kubernetes',
    istio_version: '1.32.0',
    cluster_sent: expect.stringMatching(/./),
  });
  expect(status).toMatchObject({ cluster_acked: status?.cluster_sent, endpoint_acked: status?.endpoint_sent });
  expect(status).not.toHaveProperty('listener_sent');
  expect(await plane.debugJson('/debug/syncz?namespace=other')).toEqual([]);
});

test('adsz and connections: who is connected, watching what', async () => {
  const watches = { [TYPE_URLS.CDS]: ['*'], [TYPE_URLS.EDS]: [CLUSTER] };
  expect(await plane.debugJson('/debug/adsz')).toMatchObject({
    totalClients: 1,
    clients: [{ connectionId: expect.stringContaining('client.shop'), labels: { app: 'client' }, watches }],
  });
  expect(await plane.debugJson('/debug/connections')).toMatchObject({ totalClients: 1 });
});

test('configz: objects, but no Secrets', async () => {
  const objects = (await plane.debugJson('/debug/configz')) as readonly { readonly kind: string }[];
  expect(objects.map(({ kind }) => kind).sort()).toEqual(['DestinationRule', 'EndpointSlice', 'Service']);
  expect(objects.find(({ kind }) => kind === 'DestinationRule')).toMatchObject({
    apiVersion: 'networking.istio.io/v1',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { host: 'web' },
  });
});

test('registryz, endpointz, endpointShardz', async () => {
  const hostname = 'web.shop.svc.cluster.local';
  expect(await plane.debugJson('/debug/registryz')).toMatchObject([{ hostname, namespace: 'shop' }]);
  for (const path of ['endpointz', 'endpointShardz']) {
    expect((await plane.debug(`/debug/${path}`)).body).toContain('10.1.0.1');
  }
});

test('config_dump: what the proxy was sent, in the form of a dump of Envoy', async () => {
  const { configs } = (await plane.debugJson('/debug/config_dump?proxyID=client.shop&include_eds')) as {
    readonly configs: readonly Readonly<Record<string, unknown>>[];
  };
  const types = configs.map((config) => String(config['@type']).split('.').at(-1));
  expect(types).toEqual([
    'BootstrapConfigDump',
    'ClustersConfigDump',
    'EndpointsConfigDump',
    'ListenersConfigDump',
    'ScopedRoutesConfigDump',
    'RoutesConfigDump',
    'SecretsConfigDump',
    'EcdsConfigDump',
  ]);
  expect(configs[1]).toMatchObject({
    dynamicActiveClusters: expect.arrayContaining([{ cluster: expect.objectContaining({ name: CLUSTER }) }]),
  });
  expect(JSON.stringify(configs[2])).toContain('10.1.0.1');
  expect(await plane.debug('/debug/config_dump')).toMatchObject({ status: 400 });
  expect(await plane.debug('/debug/config_dump?proxyID=nobody.shop')).toMatchObject({ status: 404 });
});

test('pushes: what changed, who got what, and what was skipped', async () => {
  const spec = { endpoint: '10.1.0.2', conditions: { ready: true } };
  const [slice] = readScenario({
    manifests: [{ name: 'input.yaml', text: manifests.replace('10.1.0.1', spec.endpoint) }],
    proxies: { name: 'proxies.yaml', text: 'proxies: []' },
  }).objects.filter(({ kind }) => kind === 'EndpointSlice');
  plane.source.put(slice!);
  await until('the push', () => plane.events('sent').some(({ reason }) => reason === 'push'));
  expect(await plane.debugJson('/debug/pushes')).toMatchObject([
    {
      changes: ['EndpointSlice/shop/web'],
      connections: 1,
      sent: [{ node: node.id, type: 'eds', resources: 1, removed: 0 }],
    },
  ]);
});

test('push_status: what is wrong', async () => {
  const [rule] = readScenario({
    manifests: [{ name: 'input.yaml', text: manifests.replace('{host: web}', '{host: ""}') }],
    proxies: { name: 'proxies.yaml', text: 'proxies: []' },
  }).diagnostics;
  expect(rule).toBeDefined();
  expect(await plane.debugJson('/debug/push_status')).toEqual({});
});

test('the list, the index, and nothing for callers from elsewhere', async () => {
  expect(await plane.debugJson('/debug/list')).toEqual(expect.arrayContaining(['adsz', 'config_dump', 'syncz']));
  const index = await plane.debug('/debug');
  expect(index).toMatchObject({ contentType: 'text/html', body: expect.stringContaining('/debug/syncz') });
  expect(await plane.debug('/debug/syncz', '10.0.0.9')).toMatchObject({ status: 401 });
  for (const local of ['::1', '::ffff:127.0.0.1']) {
    expect((await plane.debug('/debug/syncz', local)).status ?? 200).toBe(200);
  }
});
