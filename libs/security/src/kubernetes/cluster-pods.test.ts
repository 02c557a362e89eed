import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openKubeClient } from '@kedge/kube';
import { FakeApiServer, until } from '@kedge/testbed';
import { ClusterPods } from './cluster-pods.ts';

let server: FakeApiServer;
beforeEach(async () => (server = await FakeApiServer.start()));
afterEach(() => server[Symbol.asyncDispose]());

const pathOf = (name: string): string => `/api/v1/namespaces/shop/pods/${name}`;
const put = (name: string, serviceAccountName: string, nodeName?: string): void =>
  server.put(pathOf(name), {
    metadata: { namespace: 'shop', name, uid: `uid-${name}`, labels: { a: 'b' } },
    spec: { serviceAccountName, nodeName, containers: [{ name: 'app' }] },
  });

test('it is known which service accounts have pods on which node, as these come, move and go', async () => {
  put('web-1', 'web', 'node-1');
  put('web-2', 'web', 'node-1');
  put('waiting', 'late');
  using pods = new ClusterPods(await openKubeClient({ kind: 'file', path: server.kubeconfig }), () => undefined);
  const runs = (serviceAccount: string, node = 'node-1') => pods.runsOn(node, { namespace: 'shop', serviceAccount });
  await until('the pods', () => pods.pod('shop', 'web-1'));
  await until('the watch', () => server.watches === 1);
  expect(pods.pod('shop', 'web-1')).toEqual({
    namespace: 'shop',
    serviceAccount: 'web',
    uid: 'uid-web-1',
    node: 'node-1',
  });
  expect(pods.pod('bank', 'web-1')).toBeUndefined();
  expect([runs('web'), runs('web', 'node-2'), runs('late')]).toEqual([true, false, false]);
  put('waiting', 'late', 'node-1');
  await until('the late one', () => runs('late'));
  server.remove(pathOf('web-1'));
  await until('the end of one', () => !pods.pod('shop', 'web-1'));
  expect(runs('web')).toBe(true);
  server.remove(pathOf('web-2'));
  await until('the end of the other', () => !runs('web'));
});
