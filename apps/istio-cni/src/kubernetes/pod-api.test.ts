import { expect, test } from '@jest/globals';
import { until } from '@kedge/testbed';
import { FakeApiServer } from '../testing/fake-api-server.ts';
import { podWithSidecar } from '../testing/pods.ts';
import { ApiClient } from './api-client.ts';
import { podApi } from './pod-api.ts';

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 1));
const now = () => new Date('2026-01-02T03:04:05.678Z');

async function start() {
  const server = await FakeApiServer.start({ token: 'secret' });
  const client = new ApiClient(() => Promise.resolve({ server: server.url, token: server.token }));
  return { server, api: podApi(client, pause, now), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

test('watches: what is there, changes, what goes; and takes up again what ends', async () => {
  await using cluster = await start();
  const { server, api } = cluster;
  server.put(podWithSidecar());
  const events: string[] = [];
  const problems: string[] = [];
  const ended = new AbortController();
  const selection = { labelSelector: 'app=web', fieldSelector: 'spec.nodeName=n1' };
  const watching = api.watch(
    selection,
    ({ kind, pod }) => events.push(`${kind} ${pod.metadata.name}`),
    (problem) => problems.push(problem),
    ended.signal,
  );
  const watches = () => server.received.filter(({ query }) => query.watch === 'true');
  await until('the watch', () => watches().length === 1);
  expect(watches()[0]!.query).toMatchObject({ ...selection, resourceVersion: '1', allowWatchBookmarks: 'true' });

  const other = podWithSidecar({ metadata: { name: 'web-2' } });
  server.put(other);
  server.tell({ type: 'BOOKMARK', object: { kind: 'Pod', metadata: { resourceVersion: '9' } } });
  server.tell({ type: 'DELETED', object: other });
  await until('the events', () => events.length === 3);
  expect(events).toEqual(['present web-1', 'present web-2', 'gone web-2']);

  server.hangUp();
  await until('another watch', () => watches().length === 2);
  expect(problems).toHaveLength(1);

  // The server has forgotten: all from the beginning.
  events.length = 0;
  server.tell({ type: 'ERROR', object: { code: 410 } });
  await until('another list', () => events.length >= 2);
  expect(events).toContain('present web-1');
  ended.abort();
  await watching;
});

test('deletes the very pod', async () => {
  await using cluster = await start();
  const pod = podWithSidecar();
  cluster.server.put(pod);
  await cluster.api.delete(pod);
  expect(cluster.server.received).toMatchObject([
    {
      method: 'DELETE',
      path: '/api/v1/namespaces/shop/pods/web-1',
      body: { preconditions: { uid: 'uid-1', resourceVersion: '7' } },
    },
  ]);
});

test('labels by way of the status', async () => {
  await using cluster = await start();
  cluster.server.put(podWithSidecar());
  await cluster.api.label(podWithSidecar(), 'cni.istio.io/uninitialized', 'true');
  expect(cluster.server.received).toMatchObject([
    {
      method: 'PATCH',
      path: '/api/v1/namespaces/shop/pods/web-1/status',
      contentType: 'application/merge-patch+json',
      body: { metadata: { uid: 'uid-1', labels: { 'cni.istio.io/uninitialized': 'true' } } },
    },
  ]);
});

test('reports an event', async () => {
  await using cluster = await start();
  await cluster.api.report(podWithSidecar(), 'DeleteBrokenPod', 'deleted');
  expect(cluster.server.received).toMatchObject([
    {
      method: 'POST',
      path: '/api/v1/namespaces/shop/events',
      body: {
        reason: 'DeleteBrokenPod',
        type: 'Warning',
        involvedObject: { uid: 'uid-1' },
        firstTimestamp: '2026-01-02T03:04:05Z',
      },
    },
  ]);
});

test('what the server says of a refusal is told', async () => {
  await using cluster = await start();
  await expect(cluster.api.delete(podWithSidecar())).rejects.toMatchObject({
    status: 404,
    message: 'pods "web-1" not found (HTTP 404)',
  });
  cluster.server.token = 'another';
  const client = new ApiClient(() => Promise.resolve({ server: cluster.server.url, token: 'old' }));
  await expect(client.json({ method: 'GET', path: '/api/v1/pods' })).rejects.toMatchObject({ status: 401 });
});

test('a server that is not there is named', async () => {
  const client = new ApiClient(() => Promise.resolve({ server: 'http://127.0.0.1:1' }));
  await expect(client.json({ method: 'GET', path: '/' })).rejects.toThrow(/^http:\/\/127.0.0.1:1: .*ECONNREFUSED/);
});
