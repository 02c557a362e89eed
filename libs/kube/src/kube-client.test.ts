import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { FakeApiServer } from '@kedge/testbed';
import type { KubeClient } from './kube-client.ts';
import { kubeAccess, openKubeClient } from './open-kube-client.ts';
import { pathOf } from './resource-type.ts';
import { secrets, tokenReviews } from './types.ts';

let server: FakeApiServer;
let client: KubeClient;
beforeEach(async () => {
  server = await FakeApiServer.start();
  client = await openKubeClient({ kind: 'file', path: server.kubeconfig });
});
afterEach(() => server[Symbol.asyncDispose]());

const place = { namespace: 'shop', name: 'key' };
const secret = { metadata: place, type: 'Opaque', data: { a: 'eA==' } };

test('an object is made, read and replaced, by who the configuration says that we are', async () => {
  expect(await client.get(secrets, place)).toBeUndefined();
  await client.create(secrets, secret);
  const stored = await client.get(secrets, place);
  expect(stored).toMatchObject({ apiVersion: 'v1', kind: 'Secret', ...secret, metadata: place });
  await client.update(secrets, { ...stored!, data: { a: 'eQ==' } });
  expect((await client.get(secrets, place))?.data).toEqual({ a: 'eQ==' });
  expect(new Set(server.requests.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer my-token']));
});

test.each<readonly [string, () => Promise<unknown>, number, string]>([
  ['made twice', () => client.create(secrets, secret), 409, 'AlreadyExists'],
  [
    'replaced though it has changed',
    () => client.update(secrets, { ...secret, metadata: { ...place, resourceVersion: '0' } }),
    409,
    'Conflict',
  ],
  ['replaced though it is not there', () => client.update(secrets, { metadata: { name: 'x' } }), 404, 'NotFound'],
])('an object is not %s', async (_, write, code, reason) => {
  await client.create(secrets, secret);
  await expect(write()).rejects.toMatchObject({ name: 'KubeError', code, reason });
});

test("an answer that is none of Kubernetes's is told by its status", async () => {
  server.answer = () => ({ status: 502, body: { message: 'a page with a secret' } });
  const reading = client.get(secrets, place);
  await expect(reading).rejects.toMatchObject({
    code: 502,
    reason: '',
    message: 'the API server answers with status 502',
  });
});

test('a server that is not there is an error', async () => {
  await server[Symbol.asyncDispose]();
  await expect(client.get(secrets, place)).rejects.toThrow('ECONNREFUSED');
  server = await FakeApiServer.start();
});

test.each([
  [pathOf(secrets, place), '/api/v1/namespaces/shop/secrets/key'],
  [pathOf(secrets, { namespace: 'shop' }), '/api/v1/namespaces/shop/secrets'],
  [pathOf(tokenReviews, {}), '/apis/authentication.k8s.io/v1/tokenreviews'],
  [pathOf(secrets, { namespace: '../..', name: 'a/b' }), '/api/v1/namespaces/..%2F../secrets/a%2Fb'],
])('%s', (path, expected) => {
  expect(path).toBe(expected);
});

test.each(['', '.', '..'])('an object cannot be called "%s"', (name) => {
  expect(() => pathOf(secrets, { namespace: 'shop', name })).toThrow('is no path of an object');
});

test('a long list comes page by page', async () => {
  server.answer = ({ path }) => {
    const next = new URL(path, 'https://x').searchParams.get('continue');
    const items = [{ metadata: { name: next ?? 'first' } }];
    const metadata = next ? { resourceVersion: '7' } : { resourceVersion: '7', continue: 'second' };
    return { status: 200, body: { items, metadata } };
  };
  const { items, resourceVersion } = await client.list(secrets, { namespace: 'shop' });
  expect(items.map(({ metadata }) => metadata?.name)).toEqual(['first', 'second']);
  expect(resourceVersion).toBe('7');
});

describe('the way to the API server', () => {
  const inPod = { KUBERNETES_SERVICE_HOST: '10.96.0.1' };
  test.each([
    ['the file that is named', 'config', inPod, true, { kind: 'file', path: 'config' }],
    ['the cluster of the pod', undefined, inPod, true, { kind: 'cluster' }],
    ['none without a token', undefined, inPod, false, undefined],
    ['none outside', '', {}, true, undefined],
  ])('is %s', (_, kubeconfig, environment, hasToken, expected) => {
    expect(kubeAccess(kubeconfig, environment, () => hasToken)).toEqual(expected);
  });

  test('is none by a file that is not there', async () => {
    await expect(openKubeClient({ kind: 'file', path: '/nowhere' })).rejects.toThrow('ENOENT');
  });
});

test('a context is chosen by its name', async () => {
  const access = { kind: 'file', path: server.kubeconfig } as const;
  await client.create(secrets, secret);
  const named = await openKubeClient({ ...access, context: 'fake' });
  expect(await named.get(secrets, place)).toMatchObject({ type: 'Opaque' });
  await expect(openKubeClient({ ...access, context: 'other' })).rejects.toThrow('context "other" does not exist in ');
});
