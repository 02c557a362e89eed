import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { openKubeClient } from '@kedge/kube';
import { FakeApiServer } from '@kedge/testbed';
import { KubernetesTokenAuthenticator } from '../authn/kubernetes-token.ts';
import { readPluggedIn } from '../ca/plugged-in.ts';
import { parseSecuritySettings } from '../settings.ts';
import { authorityPair } from '../testing/authorities.ts';
import { type ClusterSecurity, clusterSecurity } from './cluster-security.ts';

let server: FakeApiServer;
beforeEach(async () => (server = await FakeApiServer.start()));
afterEach(() => server[Symbol.asyncDispose]());

const open = async (remoteCacerts = false): Promise<ClusterSecurity> => {
  const client = await openKubeClient({ kind: 'file', path: server.kubeconfig });
  const settings = { ...parseSecuritySettings({}).settings, remoteCacerts };
  return clusterSecurity({ client, namespace: 'istio-system', clusterId: 'east', settings });
};

describe('a token', () => {
  const status = {
    authenticated: true,
    audiences: ['istio-ca'],
    user: { username: 'system:serviceaccount:shop:web', groups: ['system:serviceaccounts'] },
  };
  const outcome = async (answer: object, clusterid?: string): Promise<unknown> => {
    server.answer = () => ({ status: 201, body: answer });
    const { reviewerOf } = await open();
    const trustDomains = () => ({ own: 'cluster.local', aliases: [] });
    const authenticator = new KubernetesTokenAuthenticator({ trustDomains, audiences: ['istio-ca'], reviewerOf });
    const metadata = new Map(Object.entries({ authorization: 'Bearer x', ...(clusterid ? { clusterid } : {}) }));
    const result = await authenticator.authenticate({ address: '', tls: true, certificate: undefined, metadata });
    return result.kind === 'authenticated' ? result.caller.identities : result.problem;
  };

  test.each([[undefined], ['east']])('is reviewed for its audience, of the cluster %s', async (cluster) => {
    expect(await outcome({ status }, cluster)).toEqual(['spiffe://cluster.local/ns/shop/sa/web']);
    expect(server.requests).toMatchObject([
      {
        method: 'POST',
        path: '/apis/authentication.k8s.io/v1/tokenreviews',
        body: { kind: 'TokenReview', spec: { token: 'x', audiences: ['istio-ca'] } },
      },
    ]);
  });

  test.each<readonly [string, object, string]>([
    ['is not good', { status: { authenticated: false, error: 'x' } }, 'Kubernetes does not authenticate the token'],
    ['is for others', { status: { ...status, audiences: ['vault'] } }, 'the token is for another audience'],
    ['is not reviewed', {}, 'Kubernetes does not authenticate the token'],
  ])('%s', async (_, answer, problem) => {
    expect(await outcome(answer)).toBe(problem);
  });

  test('of another cluster is not reviewed here', async () => {
    expect(await outcome({ status }, 'west')).toBe('the cluster "west" is not known');
    expect(server.requests).toEqual([]);
  });
});

describe('the Secret cacerts', () => {
  const path = '/api/v1/namespaces/istio-system/secrets/cacerts';
  const put = async (name: string): Promise<string> => {
    const { certificate, key } = await authorityPair({ name });
    const files = { 'ca-cert.pem': certificate, 'ca-key.pem': key, 'root-cert.pem': certificate };
    const data = Object.entries(files).map(([file, text]) => [file, Buffer.from(text).toString('base64')]);
    server.objects.set(path, { data: Object.fromEntries(data) });
    return certificate;
  };

  test('stands in for a folder, and is followed', async () => {
    const first = await put('first');
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    try {
      const { pluggedIn } = await open(true);
      const { read, watch } = pluggedIn!;
      const certificate = async () => (await readPluggedIn('/nowhere', read))?.texts.certificate;
      expect(await certificate()).toBe(first);
      const { promise: changed, resolve } = Promise.withResolvers<string>();
      using _ = watch('/nowhere', () => resolve('changed'));
      const second = await put('second');
      jest.advanceTimersByTime(60_000);
      await changed;
      expect(await certificate()).toBe(second);
    } finally {
      jest.useRealTimers();
    }
  });

  test('is not looked for unless it is asked for, and may not be there', async () => {
    expect((await open(true)).pluggedIn).toBeUndefined();
    await put('first');
    expect((await open()).pluggedIn).toBeUndefined();
  });
});
