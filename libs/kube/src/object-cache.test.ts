import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { FakeApiServer, until } from '@kedge/testbed';
import { ObjectCache } from './object-cache.ts';
import { openKubeClient } from './open-kube-client.ts';
import { type ConfigMap, configMaps } from './types.ts';

let server: FakeApiServer;
beforeEach(async () => (server = await FakeApiServer.start()));
afterEach(() => server[Symbol.asyncDispose]());

const pathOf = (namespace: string, name = 'roots'): string => `/api/v1/namespaces/${namespace}/configmaps/${name}`;
const put = (namespace: string, value: string, name = 'roots'): void =>
  server.put(pathOf(namespace, name), { metadata: { namespace, name }, data: { value } });

async function follow() {
  const told: string[] = [];
  const problems: string[] = [];
  const describe = (object: ConfigMap | undefined): string => object?.data?.['value'] ?? '-';
  const cache = new ObjectCache({
    client: await openKubeClient({ kind: 'file', path: server.kubeconfig }),
    type: configMaps,
    selection: { fieldSelector: 'metadata.name=roots' },
    changed: (change) => told.push(`${describe(change.old)}>${describe(change.new)}`),
    report: (problem) => problems.push(problem),
  });
  await cache.synced;
  await until('the watch', () => server.watches === 1);
  return { cache, told, problems, [Symbol.dispose]: () => cache[Symbol.dispose]() };
}

test('objects are listed, and followed from there', async () => {
  put('a', 'a1');
  put('a', 'x', 'other');
  using run = await follow();
  expect(run.told).toEqual(['->a1']);
  put('b', 'b1');
  put('b', 'x', 'other');
  put('a', 'a2');
  server.remove(pathOf('b'));
  await until('the changes', () => run.told.length === 4);
  expect(run.told.slice(1)).toEqual(['->b1', 'a1>a2', 'b1>-']);
  expect(run.cache.get({ namespace: 'a', name: 'roots' })?.data).toEqual({ value: 'a2' });
  expect(run.cache.list()).toHaveLength(1);
  expect(run.problems).toEqual([]);
});

test('a watch that ends goes on where it was', async () => {
  put('a', 'a1');
  using run = await follow();
  put('a', 'a2');
  await until('the change', () => run.told.length === 2);
  server.endWatches();
  await until('the next watch', () => server.watches === 1);
  put('a', 'a3');
  await until('the change', () => run.told.length === 3);
  const watched = server.requests.filter(({ path }) => path.includes('watch=true'));
  expect(watched.map(({ path }) => new URLSearchParams(path).get('resourceVersion'))).toEqual(['1', '2']);
});

test('a server that ends each watch at once is asked now and then', async () => {
  using run = await follow();
  const bookmark = { type: 'BOOKMARK', object: { metadata: {} } };
  server.answer = ({ path }) => (path.includes('watch=true') ? { status: 200, body: bookmark } : undefined);
  server.endWatches();
  await new Promise((resolve) => setTimeout(resolve, 2500));
  expect(server.requests.filter(({ path }) => path.includes('watch=true')).length).toBeLessThan(6);
  expect(run.cache.list()).toEqual([]);
});

test.each([
  [
    'with an event',
    () => server.endWatches({ type: 'ERROR', object: { kind: 'Status', code: 410, message: 'expired' } }),
  ],
  [
    'with a refusal',
    () => {
      server.answer = ({ path }) => {
        if (!path.includes('watch=true')) return undefined;
        server.answer = () => undefined;
        return { status: 410, body: { kind: 'Status', message: 'expired' } };
      };
      server.endWatches();
    },
  ],
])('where the server has forgotten, %s, objects are listed again', async (_, end) => {
  put('a', 'a1');
  put('b', 'b1');
  put('c', 'c1');
  using run = await follow();
  // What nobody was told.
  server.objects.delete(pathOf('a'));
  server.objects.set(pathOf('b'), {
    metadata: { namespace: 'b', name: 'roots', resourceVersion: 'x' },
    data: { value: 'b2' },
  });
  end();
  await until('the list', () => run.told.length === 5);
  expect(run.told.slice(3)).toEqual(['a1>-', 'b1>b2']);
  expect(run.problems).toEqual([]);
});

test('a server that fails is asked again, and what was known stays', async () => {
  put('a', 'a1');
  using run = await follow();
  let failures = 2;
  server.answer = () => (failures-- > 0 ? { status: 503, body: {} } : undefined);
  server.endWatches();
  await until('the next watch', () => server.watches === 1);
  expect(run.problems).toEqual(Array(2).fill('the API server answers with status 503'));
  expect(run.cache.list()).toHaveLength(1);
  put('a', 'a2');
  await until('the change', () => run.told.length === 2);
});

test('nothing is asked or told after disposal', async () => {
  const run = await follow();
  run[Symbol.dispose]();
  await until('the end of the watch', () => server.watches === 0);
  put('a', 'a1');
  const asked = server.requests.length;
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(server.requests).toHaveLength(asked);
  expect(run.told).toEqual([]);
});
