import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openKubeClient } from '@kedge/kube';
import { FakeApiServer } from '@kedge/testbed';
import { CertificateAuthority } from '../ca/certificate-authority.ts';
import { RootRotation } from '../ca/root-rotation.ts';
import { openSelfSigned } from '../ca/self-signed.ts';
import { SecretCaStore } from './secret-ca-store.ts';

const DAY = 86_400_000;
const pathOf = (name: string): string => `/api/v1/namespaces/istio-system/secrets/${name}`;

let server: FakeApiServer;
beforeEach(async () => (server = await FakeApiServer.start()));
afterEach(() => server[Symbol.asyncDispose]());

const storeOf = async (inCacerts = false): Promise<SecretCaStore> => {
  const client = await openKubeClient({ kind: 'file', path: server.kubeconfig });
  return new SecretCaStore({ client, namespace: 'istio-system', inCacerts });
};
const options = async (inCacerts = false) => ({
  store: await storeOf(inCacerts),
  organization: 'cluster.local',
  ttl: 10 * DAY,
  key: { algorithm: 'P-256' } as const,
});

describe('a self-signed authority', () => {
  test.each([
    [false, 'istio-ca-secret', ['ca-cert.pem', 'ca-key.pem', 'cert-chain.pem', 'key.pem', 'root-cert.pem']],
    [true, 'cacerts', ['ca-cert.pem', 'ca-key.pem', 'cert-chain.pem', 'istio-generated', 'key.pem', 'root-cert.pem']],
  ])('(in cacerts: %s) is kept in the Secret %s, and found again', async (inCacerts, name, keys) => {
    const made = await openSelfSigned(await options(inCacerts));
    const secret = server.objects.get(pathOf(name)) as { type: string; data: object };
    expect(secret.type).toBe('istio.io/ca-root');
    expect(Object.keys(secret.data).sort()).toEqual(keys);
    expect((await openSelfSigned(await options(inCacerts))).texts).toEqual(made.texts);
  });

  test('is that of istio-ca-secret, where there are two', async () => {
    const made = await openSelfSigned(await options());
    server.objects.set(pathOf('cacerts'), { data: {} });
    expect((await openSelfSigned(await options(true))).texts).toEqual(made.texts);
  });

  test('is one, though two processes make it at the same time', async () => {
    const [one, other] = await Promise.all([openSelfSigned(await options()), openSelfSigned(await options())]);
    expect(one.texts).toEqual(other.texts);
  });

  test('is renewed once by two processes, and what else the Secret has stays', async () => {
    const first = await openSelfSigned(await options());
    const stored = server.objects.get(pathOf('istio-ca-secret')) as { metadata: object };
    server.objects.set(pathOf('istio-ca-secret'), { ...stored, metadata: { ...stored.metadata, labels: { a: 'b' } } });
    const now = () => Date.now() + 9 * DAY;
    const rotate = async () => {
      const { store, ...rest } = await options();
      const authority = new CertificateAuthority({ material: first });
      const upkeep = { checkInterval: DAY, grace: 0.2, jitter: false, report: () => undefined };
      using rotation = new RootRotation({ ...rest, ...upkeep, store, authority, now });
      const checks = [await rotation.check(), await rotation.check()];
      return { checks, roots: authority.roots };
    };
    const [one, other] = await Promise.all([rotate(), rotate()]);
    const kinds = [one, other].map(({ checks }) => checks.map(({ kind }) => kind).join());
    expect(kinds.sort()).toEqual(['failed,reloaded', 'renewed,unchanged']);
    expect(one.roots).toBe(other.roots);
    expect(server.objects.get(pathOf('istio-ca-secret'))).toMatchObject({ metadata: { labels: { a: 'b' } } });
  });

  test('is not made where the API server refuses', async () => {
    const body = { kind: 'Status', reason: 'Forbidden', message: 'secrets is forbidden' };
    server.answer = () => ({ status: 403, body });
    await expect(openSelfSigned(await options())).rejects.toThrow('secrets is forbidden');
  });
});
