import { credentials } from '@grpc/grpc-js';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { TYPE_URLS } from '@kedge/networking';
import {
  type CertificateAuthority,
  MemoryCaStore,
  openSelfSigned,
  CertificateAuthority as Authority,
} from '@kedge/security';
import { until } from '@kedge/testbed';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AdsClient } from '../testing/ads-client.ts';
import { RunningDiscovery } from '../testing/running-discovery.ts';

jest.setTimeout(30_000);

const health = 'type.googleapis.com/istio.v1.HealthInformation';
const cluster = 'outbound|80||web.example';
const group = (name = 'web'): string =>
  `{apiVersion: networking.istio.io/v1, kind: WorkloadGroup, metadata: {name: ${name}, namespace: shop}, spec: {metadata: {labels: {app: ${name}}}, template: {serviceAccount: web}}}`;
const entry =
  '{apiVersion: networking.istio.io/v1, kind: ServiceEntry, metadata: {name: web, namespace: shop}, spec: {hosts: [web.example], resolution: STATIC, ports: [{number: 80, name: http, protocol: HTTP}], workloadSelector: {labels: {app: web}}}}';

let dir: string;
let authority: CertificateAuthority;
let server: RunningDiscovery;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'registration-'));
  const key = { algorithm: 'P-256' } as const;
  const material = await openSelfSigned({ store: new MemoryCaStore(), organization: 'x', ttl: 86_400_000, key });
  authority = new Authority({ material });
  const { certificate, key: keyText } = material.texts;
  const files = {
    'ca-key.pem': keyText,
    'ca-cert.pem': certificate,
    'cert-chain.pem': '',
    'root-cert.pem': certificate,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text);
  server = await RunningDiscovery.start({ 'entry.yaml': entry, 'group.yaml': group() }, undefined, {
    flags: { secureGRPCAddr: { host: '127.0.0.1', port: 0 } },
    environment: { ROOT_CA_DIR: dir, PILOT_WORKLOAD_ENTRY_GRACE_PERIOD: '300ms' },
  });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await rm(dir, { recursive: true });
});

/** A virtual machine, known by a certificate. */
async function machine(address: string, metadata: object = {}, account = 'web'): Promise<AdsClient> {
  const { key, chain } = await authority.issueKey([`spiffe://cluster.local/ns/shop/sa/${account}`], 60_000);
  const channel = credentials.createSsl(Buffer.from(authority.roots), Buffer.from(key), Buffer.from(chain));
  const node = {
    id: `sidecar~${address}~vm-${address}.shop~shop.svc.cluster.local`,
    metadata: { NAMESPACE: 'shop', AUTO_REGISTER_GROUP: 'web', ...metadata },
  };
  return new AdsClient(server.ports.secureGrpc, 'delta', node, channel);
}

/** Which of the addresses are endpoints now. */
async function endpoints(...addresses: readonly string[]): Promise<string> {
  using client = new AdsClient(server.ports.grpc, 'delta', {
    id: 'sidecar~10.9.9.9~other.shop~shop.svc.cluster.local',
  });
  const [assignment] = await client.subscribe(TYPE_URLS.EDS, [cluster]);
  return addresses.filter((address) => assignment?.any.includes(address)).join();
}
const become = (expected: string) =>
  until(`the endpoints ${expected}`, async () => (await endpoints('10.1.0.1', '10.1.0.2')) === expected);

test('workloads are endpoints from when they connect until a while after they have gone', async () => {
  expect(await endpoints('10.1.0.1')).toBe('');
  const one = await machine('10.1.0.1');
  await one.subscribe(TYPE_URLS.CDS);
  await become('10.1.0.1');
  const again = await machine('10.1.0.1');
  await again.subscribe(TYPE_URLS.CDS);
  const two = await machine('10.1.0.2');
  await two.subscribe(TYPE_URLS.CDS);
  await become('10.1.0.1,10.1.0.2');
  one[Symbol.dispose]();
  two[Symbol.dispose]();
  await become('10.1.0.1');
  again[Symbol.dispose]();
  using back = await machine('10.1.0.1');
  await back.subscribe(TYPE_URLS.CDS);
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect(await endpoints('10.1.0.1')).toBe('10.1.0.1');
  const metrics = await server.metrics();
  expect(metrics).toMatch(/^auto_registration_success_total 2$/m);
  expect(metrics).toMatch(/^auto_registration_updates_total 2$/m);
  expect(metrics).toMatch(/^auto_registration_deletes_total 1$/m);
});

test('workloads that are probed are endpoints while they are well', async () => {
  using one = await machine('10.1.0.1', { PROXY_CONFIG: { readinessProbe: { httpGet: { port: 80 } } } });
  await one.subscribe(TYPE_URLS.CDS);
  expect(await endpoints('10.1.0.1')).toBe('');
  one.report(health);
  await become('10.1.0.1');
  one.report(health, 'connection refused');
  await become('');
});

test('entries go and come with their group', async () => {
  using one = await machine('10.1.0.1');
  await one.subscribe(TYPE_URLS.CDS);
  await become('10.1.0.1');
  await server.write('group.yaml', group('other'));
  await become('');
  await server.write('group.yaml', group());
  await become('10.1.0.1');
});

test.each([
  ['without its group', { AUTO_REGISTER_GROUP: 'none' }, 'web', 9, 'cannot find WorkloadGroup shop/none', 1],
  ['of another account', {}, 'other', 7, 'service account mismatch: "other" vs "web"', 0],
])('a workload %s is not connected', async (_, metadata, account, code, problem, errors) => {
  using one = await machine('10.1.0.1', metadata, account);
  await expect(one.subscribe(TYPE_URLS.CDS)).rejects.toMatchObject({
    code,
    details: expect.stringContaining(problem),
  });
  expect(await server.metrics()).toMatch(new RegExp(`^auto_registration_errors_total ${errors}$`, 'm'));
});

test('a workload that nobody knows is not connected', async () => {
  const id = 'sidecar~10.1.0.1~vm.shop~shop.svc.cluster.local';
  const node = { id, metadata: { NAMESPACE: 'shop', AUTO_REGISTER_GROUP: 'web' } };
  using one = new AdsClient(server.ports.grpc, 'delta', node);
  await expect(one.subscribe(TYPE_URLS.CDS)).rejects.toMatchObject({
    code: 7,
    details: 'registration of WorkloadEntry requires a verified identity',
  });
});
