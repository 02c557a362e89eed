import { afterEach, expect, test } from '@jest/globals';
import type { Config } from '@kedge/model';
import { TYPE_URLS } from '@kedge/networking';
import { readScenario } from '@kedge/render';
import { until } from '@kedge/testbed';
import { AdsFollower, type Verdict } from '../testing/ads-follower.ts';
import { objectsOf } from '../testing/envoy-world.ts';
import { LivePlane } from '../testing/live-plane.ts';

const service = (name: string, ip: number) => `
apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: shop}
spec: {clusterIP: 10.96.0.${ip}, selector: {app: ${name}}, ports: [{name: http, port: 80}]}
---`;
/** The rules' timeouts are what the clients of these tests look at. */
const rule = (name: string, timeout: string) => `
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: ${name}, namespace: shop}
spec: {host: ${name}, trafficPolicy: {connectionPool: {tcp: {connectTimeout: ${timeout}}}}}
---`;
const allowing = (principal: string) => `
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: policy, namespace: shop}
spec: {rules: [{from: [{source: {principals: [${principal}]}}]}]}
`;
const cluster = (name: string) => `outbound|80||${name}.shop.svc.cluster.local`;
const node = (name: string, version = '1.32.0') => ({
  id: `sidecar~10.0.0.9~${name}.shop~shop.svc.cluster.local`,
  metadata: { NAMESPACE: 'shop', CLUSTER_ID: 'Kubernetes', ISTIO_VERSION: version },
});
/** Refuses what has a text in it, by its name. */
const refusing =
  (text: string): Verdict =>
  (_, resources) => {
    const bad = [...resources].filter(([, resource]) => JSON.stringify(resource).includes(text));
    return bad.length > 0 ? bad.map(([name]) => `${name}: refused`).join(', ') : undefined;
  };

const owned: (Disposable | AsyncDisposable)[] = [];
afterEach(async () => {
  for (const one of owned.splice(0).reverse()) {
    if (Symbol.dispose in one) one[Symbol.dispose]();
    else await one[Symbol.asyncDispose]();
  }
});

async function planeOf(manifests: string): Promise<LivePlane> {
  const proxies = { name: 'proxies.yaml', text: 'proxies: []\nenv: {PILOT_DEBOUNCE_AFTER: 1ms}' };
  const plane = await LivePlane.start(readScenario({ manifests: [{ name: 'input.yaml', text: manifests }], proxies }));
  owned.push(plane);
  return plane;
}

function follow(plane: LivePlane, verdict: Verdict, type: string, { id, metadata } = node('client')): AdsFollower {
  const follower = new AdsFollower(plane.port, { id, metadata }, verdict);
  owned.push(follower);
  follower.subscribe(type);
  return follower;
}

function put(plane: LivePlane, manifests: string): void {
  for (const object of objectsOf(manifests) as readonly Config[]) plane.source.put(object);
}

const timeoutOf = (follower: AdsFollower, name: string): unknown =>
  (follower.held.get(TYPE_URLS.CDS)?.get(cluster(name)) as { readonly connectTimeout?: string } | undefined)
    ?.connectTimeout;

test('a refused cluster stops nothing else, is named with its rule, and comes when it is mended', async () => {
  const plane = await planeOf(`${service('web', 1)}${service('other', 2)}${rule('web', '1s')}${rule('other', '1s')}`);
  const client = follow(plane, refusing('"13s"'), TYPE_URLS.CDS);
  await until('the clusters', () => timeoutOf(client, 'web') === '1s');
  put(plane, rule('web', '13s') + rule('other', '2s'));
  await until('the good one', () => timeoutOf(client, 'other') === '2s');
  expect(timeoutOf(client, 'web')).toBe('1s');
  const from = [
    { kind: 'DestinationRule', namespace: 'shop', name: 'web', field: 'spec.trafficPolicy' },
    { kind: 'Service', namespace: 'shop', name: 'web', field: 'spec.ports[http]' },
  ];
  // The client is told of no more once it has accepted what it got instead.
  const nacks = await until('its acceptance', async () => {
    const view = (await plane.debugJson('/debug/nacks')) as { readonly clients: readonly unknown[] };
    return view.clients.length === 0 && view;
  });
  expect(nacks).toMatchObject({
    resources: [{ type: 'cds', name: cluster('web'), from, served: 'the former version', culprit: true }],
  });
  expect(plane.refusals().map(([kind]) => kind)).toEqual(['suspected', 'convicted']);
  expect(await plane.metrics()).toContain('pilot_xds_refused_resources{type="cds"} 1');
  const explained = await plane.debug(
    `/debug/explain?proxy=client.shop&pretty&resource=cds/${encodeURIComponent(cluster('web'))}`,
  );
  expect(explained.body).toContain('The proxy refuses it');
  // A new proxy isn't given it.
  const late = follow(plane, refusing('"13s"'), TYPE_URLS.CDS, node('late'));
  await until('the clusters of the other', () => timeoutOf(late, 'web') === '1s');
  expect(late.answers).toBe(1);

  put(plane, rule('web', '3s'));
  await until('the mended one', () => timeoutOf(client, 'web') === '3s' && timeoutOf(late, 'web') === '3s');
  expect(plane.plane.refusals.list()).toEqual([]);
  expect(await plane.metrics()).toContain('pilot_xds_refused_resources{type="cds"} 0');
});

test('another proxy of the same build takes it after all: then it is for everybody', async () => {
  const plane = await planeOf(service('web', 1) + rule('web', '1s'));
  let isWilling = false;
  const client = follow(plane, (...answer) => (isWilling ? undefined : refusing('"2s"')(...answer)), TYPE_URLS.CDS);
  const slow = follow(plane, () => undefined, TYPE_URLS.CDS, node('slow'));
  await until('the clusters', () => timeoutOf(client, 'web') === '1s' && timeoutOf(slow, 'web') === '1s');
  slow.hold();
  put(plane, rule('web', '2s'));
  await until('the refusal, and the answer to the other', () => client.answers === 3 && slow.answers === 2);
  expect(timeoutOf(client, 'web')).toBe('1s');
  isWilling = true;
  slow.release();
  await until('the new one', () => timeoutOf(client, 'web') === '2s');
  expect(plane.refusals().at(-1)).toEqual(['accepted', cluster('web')]);
});

test('builds of Envoy are told apart', async () => {
  const plane = await planeOf(service('web', 1) + rule('web', '1s'));
  const old = follow(plane, refusing('"2s"'), TYPE_URLS.CDS, node('old', '1.20.0'));
  const current = follow(plane, () => undefined, TYPE_URLS.CDS, node('current'));
  await until('the clusters', () => timeoutOf(old, 'web') === '1s' && timeoutOf(current, 'web') === '1s');
  put(plane, rule('web', '2s'));
  await until('the new one', () => timeoutOf(current, 'web') === '2s' && plane.plane.refusals.list().length === 1);
  expect(timeoutOf(old, 'web')).toBe('1s');
});

test('a listener with an outdated policy is given to nobody who hasn’t got it', async () => {
  const plane = await planeOf(service('web', 1) + allowing('first'));
  const client = follow(plane, refusing('second'), TYPE_URLS.LDS);
  const inbound = (follower: AdsFollower): string | undefined => {
    const listener = follower.held.get(TYPE_URLS.LDS)?.get('virtualInbound');
    return listener === undefined ? undefined : JSON.stringify(listener);
  };
  await until('the listeners', () => inbound(client)?.includes('first') === true);
  put(plane, allowing('second'));
  await until('the refusal', () => plane.plane.refusals.list().length === 1);
  const late = follow(plane, refusing('second'), TYPE_URLS.LDS, node('late'));
  await until('the other listeners', () => (late.held.get(TYPE_URLS.LDS)?.size ?? 0) > 0);
  expect(inbound(late)).toBeUndefined();
  expect(inbound(client)).toContain('first');
  expect(await plane.debugJson('/debug/nacks')).toMatchObject({
    resources: [{ name: 'virtualInbound', served: expect.stringContaining('nothing') }],
  });
});
