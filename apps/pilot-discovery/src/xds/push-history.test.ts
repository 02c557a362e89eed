import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { TYPE_URLS } from '@kedge/networking';
import { readScenario } from '@kedge/render';
import { until } from '@kedge/testbed';
import type { ConnectionRef, SendReason } from '@kedge/xds-core';
import { AdsFollower } from '../testing/ads-follower.ts';
import { objectsOf } from '../testing/envoy-world.ts';
import { LivePlane } from '../testing/live-plane.ts';
import type { MeshClient } from './mesh-client.ts';
import { PushHistory, type PushRecord } from './push-history.ts';

const service = (name: string, ip: number, port = 80) => `
apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: shop}
spec: {clusterIP: 10.96.0.${ip}, selector: {app: ${name}}, ports: [{name: http, port: ${port}}]}
---`;

let plane: LivePlane;
const followers: AdsFollower[] = [];

beforeAll(async () => {
  plane = await LivePlane.start(
    readScenario({
      manifests: [{ name: 'input.yaml', text: service('web', 1) }],
      proxies: { name: 'proxies.yaml', text: 'proxies: []\nenv: {PILOT_DEBOUNCE_AFTER: 5ms}' },
    }),
  );
  for (const name of ['a', 'b']) {
    const id = `sidecar~10.0.0.9~${name}.shop~shop.svc.cluster.local`;
    const follower = new AdsFollower(plane.port, { id, metadata: { NAMESPACE: 'shop', CLUSTER_ID: 'Kubernetes' } });
    follower.subscribe(TYPE_URLS.CDS);
    follower.subscribe(TYPE_URLS.RDS, ['80']);
    followers.push(follower);
  }
  await until('the first answers', () => plane.events('ack').length === 4);
});

afterAll(async () => {
  for (const follower of followers) follower[Symbol.dispose]();
  await plane[Symbol.asyncDispose]();
});

/** Sum and count of a histogram, or the value of a counter, by name and labels. */
async function metric(name: string): Promise<number> {
  const line = (await plane.metrics()).split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
}

const names = [
  'pilot_debounce_time_sum',
  'pilot_debounce_time_count',
  'pilot_pushcontext_init_seconds_sum',
  'pilot_proxy_queue_time_sum',
  'pilot_xds_pushes{type="cds"}',
  'pilot_xds_pushes{type="rds"}',
  'pilot_xds_push_time_sum{type="cds"}',
  'pilot_xds_send_time_sum',
  'pilot_xds_send_time_count',
  `pilot_xds_config_size_bytes_sum{type="${TYPE_URLS.CDS}"}`,
] as const;
const all = async () => Object.fromEntries(await Promise.all(names.map(async (name) => [name, await metric(name)])));

test('a trace tells what triggered a push, what was computed for what, and what it took; metrics agree', async () => {
  const before = await all();
  for (const object of objectsOf(service('other', 2))) plane.source.put(object);
  await until('the ACKs', () => plane.events('ack').length === 8);
  const after = await all();
  const [push, ...others] = (await plane.debugJson('/debug/pushes')) as readonly PushRecord[];
  expect(others).toEqual([]);
  expect(push).toMatchObject({ reasons: { service: 1 }, changes: ['Service/shop/other'], connections: 2 });
  expect(push?.sent.map(({ node, type }) => [node.split('~')[2], type]).sort()).toEqual([
    ['a.shop', 'cds'],
    ['a.shop', 'rds'],
    ['b.shop', 'cds'],
    ['b.shop', 'rds'],
  ]);
  expect(push?.sent.every(({ ackMs }) => ackMs !== undefined && ackMs >= 0)).toBe(true);
  // Both proxies share what is the same for both.
  const cluster = push?.computed.find(({ query }) => query === 'outboundCluster');
  expect(cluster).toMatchObject({ count: 1, causes: {}, encodes: true });
  const answers = push?.computed.find(({ query }) => query === 'clusters');
  expect(answers).toMatchObject({ count: 1, encodes: false });
  expect(Object.keys(answers?.causes ?? {}).join()).toContain('Service');

  const sent = push?.sent ?? [];
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  const of = (type: string) => sent.filter((answer) => answer.type === type);
  const queued = new Map(sent.flatMap(({ node, queuedMs }) => (queuedMs === undefined ? [] : [[node, queuedMs]])));
  const traced: Readonly<Record<(typeof names)[number], number>> = {
    pilot_debounce_time_sum: (push?.debounceMs ?? 0) / 1000,
    pilot_debounce_time_count: 1,
    pilot_pushcontext_init_seconds_sum: (push?.snapshotMs ?? 0) / 1000,
    pilot_proxy_queue_time_sum: sum([...queued.values()]) / 1000,
    'pilot_xds_pushes{type="cds"}': 2,
    'pilot_xds_pushes{type="rds"}': 2,
    'pilot_xds_push_time_sum{type="cds"}': sum(of('cds').map((one) => one.generateMs + one.writeMs)) / 1000,
    pilot_xds_send_time_sum: sum(sent.map(({ writeMs }) => writeMs)) / 1000,
    pilot_xds_send_time_count: sent.length,
    [`pilot_xds_config_size_bytes_sum{type="${TYPE_URLS.CDS}"}` as const]: sum(of('cds').map(({ bytes }) => bytes)),
  };
  for (const name of names) expect([name, after[name] - before[name]]).toEqual([name, expect.closeTo(traced[name], 6)]);
});

test('what concerns nobody says so', async () => {
  const [policy] = objectsOf(`
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: none, namespace: elsewhere}
spec: {}`);
  plane.source.put(policy!);
  await until('the push', () => plane.events('skipped').length === 2);
  const [push] = (await plane.debugJson('/debug/pushes')) as readonly PushRecord[];
  expect(push).toMatchObject({ changes: ['AuthorizationPolicy/elsewhere/none'], sent: [], unchanged: [] });
  expect(push?.skipped).toHaveLength(2);
});

const connection = { id: 'a', nodeId: 'a' } as ConnectionRef<MeshClient>;

function startPush(history: PushHistory, push: number): void {
  const request = { configsUpdated: new Map(), reason: new Map(), start: 0 };
  history.observe({ kind: 'pushStarted', push, version: '', request, connections: 0, snapshotMs: 0, debounceMs: 0 });
}

test('an ACK counts for the last answer of its type', () => {
  const history = new PushHistory(() => []);
  startPush(history, 1);
  const counts = { nonce: '', version: '', resources: 1, removed: 0, bytes: 1, generateMs: 0, writeMs: 0 };
  const sent = (typeUrl: string, reason: SendReason) =>
    history.observe({ kind: 'sent', connection, push: 1, typeUrl, reason, ...counts });
  sent(TYPE_URLS.CDS, 'push');
  sent(TYPE_URLS.EDS, 'push');
  // The client asked for what it was sent, so that is no longer waited for.
  sent(TYPE_URLS.EDS, 'request');
  for (const typeUrl of [TYPE_URLS.CDS, TYPE_URLS.EDS])
    history.observe({ kind: 'ack', connection, typeUrl, nonce: '', push: 1, afterMs: 7 });
  expect(history.list()[0]?.sent.map(({ type, ackMs }) => [type, ackMs])).toEqual([
    ['cds', 7],
    ['eds', undefined],
  ]);
});

test('its memory is bounded, whatever nobody asks for', () => {
  const history = new PushHistory(() => []);
  for (let push = 1; push <= 300; push++) {
    startPush(history, push);
    for (let at = 0; at < 2000; at++) history.observe({ kind: 'skipped', connection, push });
  }
  const records = history.list();
  expect(records[0]?.push).toBe(300);
  expect(records.flatMap(({ skipped }) => skipped).length).toBeLessThanOrEqual(21_000);
});
