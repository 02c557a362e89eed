import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openKubeClient } from '@kedge/kube';
import { FakeApiServer, until } from '@kedge/testbed';
import type { CertificateAuthority } from '../ca/certificate-authority.ts';
import { readCaMaterial } from '../ca/ca-material.ts';
import { authorityPair, rootTexts, testAuthority } from '../testing/authorities.ts';
import { TrustPublisher } from './trust-publisher.ts';

let server: FakeApiServer;
let authority: CertificateAuthority;
beforeEach(async () => {
  server = await FakeApiServer.start();
  authority = await testAuthority();
});
afterEach(() => server[Symbol.asyncDispose]());

const putNamespace = (name: string, phase = 'Active'): void =>
  server.put(`/api/v1/namespaces/${name}`, { metadata: { name }, status: { phase } });
const pathOf = (namespace: string, name = 'roots'): string => `/api/v1/namespaces/${namespace}/configmaps/${name}`;
const dataOf = (namespace: string, name?: string): unknown =>
  (server.objects.get(pathOf(namespace, name)) as { readonly data?: object } | undefined)?.data;
const writes = (): number => server.requests.filter(({ method }) => method !== 'GET').length;

async function publish(problems: string[] = []): Promise<TrustPublisher> {
  const client = await openKubeClient({ kind: 'file', path: server.kubeconfig });
  const report = (problem: string) => void problems.push(problem);
  const names = { rootsName: 'roots', revocationsName: 'revocations' };
  const publisher = new TrustPublisher({ client, authority, ...names, report });
  await until('the watches', () => server.watches === 3);
  return publisher;
}

test('each namespace has the roots, also those that come later, and others when they change', async () => {
  for (const name of ['shop', 'kube-system', 'kube-public']) putNamespace(name);
  putNamespace('leaving', 'Terminating');
  using _ = await publish();
  const roots = { 'root-cert.pem': authority.roots };
  await until('the first', () => dataOf('shop') && dataOf('kube-system'));
  putNamespace('later');
  await until('the later one', () => dataOf('later'));
  expect([dataOf('shop'), dataOf('later'), dataOf('kube-system')]).toEqual([roots, roots, roots]);
  expect([dataOf('kube-public'), dataOf('leaving'), dataOf('shop', 'revocations')]).toEqual(Array(3).fill(undefined));
  authority.replace(readCaMaterial(rootTexts(await authorityPair({ name: 'next' }))));
  const next = { 'root-cert.pem': authority.roots };
  await until('the next roots', () => JSON.stringify(dataOf('later')) === JSON.stringify(next));
  await until('those of the others', () => JSON.stringify(dataOf('shop')) === JSON.stringify(next));
});

test('what others change or delete is put right, and what else is there stays', async () => {
  putNamespace('shop');
  using _ = await publish();
  const roots = { 'root-cert.pem': authority.roots };
  await until('the roots', () => dataOf('shop'));
  server.put(pathOf('shop'), {
    metadata: { namespace: 'shop', name: 'roots' },
    data: { 'root-cert.pem': 'x', a: 'b' },
  });
  await until('the repair', () => JSON.stringify(dataOf('shop')) === JSON.stringify({ ...roots, a: 'b' }));
  server.remove(pathOf('shop'));
  await until('the roots again', () => dataOf('shop'));
  expect(dataOf('shop')).toEqual(roots);
});

test('revocations are published once there are any', async () => {
  putNamespace('shop');
  using _ = await publish();
  await until('the roots', () => dataOf('shop'));
  const { material } = authority;
  authority.replace({ ...material, texts: { ...material.texts, revocations: 'list' } });
  await until('the list', () => dataOf('shop', 'revocations'));
  expect(dataOf('shop', 'revocations')).toEqual({ 'ca-crl.pem': 'list' });
  authority.replace(material);
  await until('its end', () => JSON.stringify(dataOf('shop', 'revocations')) === '{"ca-crl.pem":""}');
});

test('nothing is written that is there already', async () => {
  putNamespace('shop');
  const metadata = { namespace: 'shop', name: 'roots' };
  server.put(pathOf('shop'), { metadata, data: { 'root-cert.pem': authority.roots } });
  using _ = await publish();
  putNamespace('later');
  await until('the later one', () => dataOf('later'));
  expect(writes()).toBe(1);
});

test('a refusal is told once, and tried again, while others have their turn', async () => {
  for (const name of ['shop', 'other']) putNamespace(name);
  let refusals = 2;
  server.answer = ({ method, path }) =>
    method === 'POST' && path.includes('/shop/') && refusals-- > 0
      ? { status: 403, body: { kind: 'Status', reason: 'Forbidden', message: 'may not' } }
      : undefined;
  const problems: string[] = [];
  using _ = await publish(problems);
  await until('those of the other', () => dataOf('other'));
  expect(dataOf('shop')).toBeUndefined();
  await until('the roots', () => dataOf('shop'));
  expect(problems).toEqual(['what workloads of shop trust is not published: may not']);
});
