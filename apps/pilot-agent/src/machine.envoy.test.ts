import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { ControlPlaneProcess, getText, Proxy, TokenIssuer, until } from '@kedge/testbed';
import { Application } from './testing/application.ts';
import { selfSigned } from './testing/secure-mesh.ts';

const envoy = process.env['ENVOY_BIN'] ?? '';
if (!envoy) throw new Error('ENVOY_BIN is not set');
jest.setTimeout(60_000);

const address = '127.0.0.5';

let owned: AsyncDisposableStack;
let application: Application;
let controlPlane: ControlPlaneProcess;
let proxy: Proxy;

beforeAll(async () => {
  owned = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'machine-'));
  owned.defer(() => rm(dir, { recursive: true, force: true }));
  application = owned.use(await new Application().start(address));
  const probe = `{periodSeconds: 1, httpGet: {path: /well, port: ${application.port}}}`;
  const meshConfig = 'machine/etc/istio/config';
  for (const folder of ['config', 'cacerts', meshConfig]) await mkdir(join(dir, folder), { recursive: true });
  await writeFile(join(dir, meshConfig, 'mesh'), `defaultConfig: {readinessProbe: ${probe}}`);
  await writeFile(join(dir, 'config/mesh.yaml'), manifests(probe));
  const { material, roots } = await selfSigned('root');
  const { certificate, key } = material.texts;
  const authority = { 'ca-key.pem': key, 'ca-cert.pem': certificate, 'cert-chain.pem': '', 'root-cert.pem': roots };
  for (const [name, text] of Object.entries(authority)) await writeFile(join(dir, 'cacerts', name), text);
  const issuer = new TokenIssuer();
  controlPlane = owned.use(
    await ControlPlaneProcess.start({
      configDir: join(dir, 'config'),
      dir,
      environment: {
        JWT_RULE: issuer.jwtRule,
        ROOT_CA_DIR: join(dir, 'cacerts'),
        PILOT_WORKLOAD_ENTRY_GRACE_PERIOD: '100ms',
      },
    }),
  );
  proxy = owned.use(
    await Proxy.start({
      name: 'machine',
      namespace: 'shop',
      kind: 'sidecar',
      address,
      labels: { app: 'pay' },
      discoveryPort: controlPlane.ports.secureGrpc,
      credentials: { serviceAccount: 'pay', token: issuer.token('shop', 'pay'), roots },
      envoy,
      dir,
      environment: { ISTIO_META_AUTO_REGISTER_GROUP: 'machines' },
    }),
  );
  await proxy.ready();
});
afterAll(() => owned.disposeAsync());

const manifests = (probe: string): string => `
apiVersion: networking.istio.io/v1
kind: WorkloadGroup
metadata: {name: machines, namespace: shop}
spec:
  metadata: {labels: {app: pay}}
  template: {serviceAccount: pay}
  probe: ${probe}
---
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: pay, namespace: shop}
spec:
  hosts: [pay.example]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP, targetPort: 8080}]
  workloadSelector: {labels: {app: pay}}
`;

/** Whether others would send requests to the machine, as its own Envoy would. */
async function takesRequests(): Promise<boolean> {
  return (await getText(`${proxy.admin.url}/clusters`)).includes(`outbound|80||pay.example::${address}:8080::`);
}

test('a machine registers itself, and gets requests while its workload is well', async () => {
  await until('it to take requests', takesRequests);
  application.isWell = false;
  await until('it to take none', async () => !(await takesRequests()));
  const entries = JSON.stringify(await controlPlane.debug('configz'));
  expect(entries).toContain('the status is 503');
  application.isWell = true;
  await until('it to take requests again', takesRequests);
});

test('it is forgotten when it is gone', async () => {
  const isKnown = async (): Promise<boolean> => JSON.stringify(await controlPlane.debug('configz')).includes(address);
  expect(await isKnown()).toBe(true);
  await proxy[Symbol.asyncDispose]();
  await until('it to be forgotten', async () => !(await isKnown()));
});
