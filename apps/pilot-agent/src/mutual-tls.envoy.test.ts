import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ControlPlaneProcess, freePorts, getText, Proxy, TokenIssuer, Traffic, until } from '@kedge/testbed';
import { meshManifests } from './testing/mesh-manifests.ts';

const envoy = process.env['ENVOY_BIN'] ?? '';
if (!envoy) throw new Error('ENVOY_BIN is not set');

const owned = new AsyncDisposableStack();
const issuer = new TokenIssuer();
let ports: { readonly kept: number; readonly fresh: number };
let proxies: readonly Proxy[];
let controlPlane: ControlPlaneProcess;
let startControlPlane: () => Promise<ControlPlaneProcess>;

beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'mutual-tls-'));
  owned.defer(() => rm(dir, { recursive: true, force: true }));
  const application = await startApplication();
  owned.defer(() => void application.close().closeAllConnections());
  const [kept = 0, fresh = 0, secureGrpc = 0] = await freePorts(3);
  ports = { kept, fresh };
  const configDir = join(dir, 'config');
  await mkdir(configDir);
  await writeFile(
    join(configDir, 'mesh.yaml'),
    meshManifests({ kept, fresh, application: (application.address() as AddressInfo).port }),
  );
  const storage = join(dir, 'authority');
  startControlPlane = () =>
    ControlPlaneProcess.start({
      configDir,
      dir,
      flags: ['--caStorageDir', storage, '--secureGRPCAddr', `127.0.0.1:${secureGrpc}`],
      environment: { JWT_RULE: issuer.jwtRule, ROOT_CA_DIR: join(dir, 'none') },
    });
  controlPlane = await startControlPlane();
  owned.defer(() => controlPlane[Symbol.asyncDispose]());
  const roots = await readFile(join(storage, 'current/root-cert.pem'), 'utf8');
  const start = async (name: string, address: string, protocol: 'delta' | 'sotw'): Promise<Proxy> =>
    owned.use(
      await Proxy.start({
        name,
        namespace: 'shop',
        kind: 'sidecar',
        address,
        protocol,
        labels: { app: name },
        discoveryPort: secureGrpc,
        envoy,
        dir,
        credentials: { serviceAccount: name, token: issuer.token('shop', name), roots },
        // Renewed every 3 seconds.
        environment: { SECRET_TTL: '12s', SECRET_GRACE_PERIOD_RATIO: '0.75' },
      }),
    );
  proxies = [await start('client', '127.0.0.2', 'delta'), await start('server', '127.0.0.3', 'sotw')];
  await Promise.all(proxies.map((proxy) => proxy.ready()));
}, 60_000);

afterAll(() => owned.disposeAsync());

test('STRICT: requests pass with the identities of both, and plain text is refused', async () => {
  const seen = await getText(`http://127.0.0.2:${ports.kept}/`, { headers: { host: 'server.shop' } });
  expect(seen).toContain('By=spiffe://cluster.local/ns/shop/sa/server');
  expect(seen).toContain('URI=spiffe://cluster.local/ns/shop/sa/client');
  await expect(getText(`http://127.0.0.3:${ports.kept}/`)).rejects.toThrow(/socket hang up|ECONNRESET/);
});

test('certificates of seconds are renewed under traffic, on new and kept connections, with no failure', async () => {
  const before = await serials();
  const seconds = 14;
  const started = performance.now();
  await using kept = new Traffic(`http://127.0.0.2:${ports.kept}/`, 'server.shop');
  await using fresh = new Traffic(`http://127.0.0.2:${ports.fresh}/`, 'server.shop');
  await sleep(seconds * 1000);
  for (const traffic of [kept, fresh]) {
    traffic.assertNoFailure();
    expect(traffic.requests / ((performance.now() - started) / 1000)).toBeGreaterThan(100);
  }
  const after = await serials();
  after.forEach((serial, index) => expect(serial).not.toBe(before[index]));
  for (const proxy of proxies) expect(said(proxy, 'certificate until')).toBeGreaterThanOrEqual(4);
}, 60_000);

test('while control plane and authority are away traffic goes on, and the agents find them again', async () => {
  const before = proxies.map((proxy) => said(proxy, 'certificate until'));
  await using traffic = new Traffic(`http://127.0.0.2:${ports.fresh}/`, 'server.shop');
  await controlPlane[Symbol.asyncDispose]();
  await sleep(2000);
  controlPlane = await startControlPlane();
  for (const [index, proxy] of proxies.entries()) {
    await until(`${proxy.name} to have a new certificate`, () => said(proxy, 'certificate until') > before[index]! + 1);
  }
  await until('both to be connected again', async () => {
    const connected = JSON.stringify(await controlPlane.debug('connections'));
    return proxies.every(({ name }) => connected.includes(`${name}.shop`));
  });
  traffic.assertNoFailure();
}, 60_000);

/** How many lines of the proxy's output hold the text. */
const said = ({ child }: Proxy, text: string): number => child.tail().filter((line) => line.includes(text)).length;

/** Of the certificates that the Envoys use now. */
async function serials(): Promise<readonly string[]> {
  return Promise.all(
    proxies.map(async ({ admin }) => {
      const { certificates } = JSON.parse(await getText(`${admin.url}/certs`)) as {
        certificates: readonly { cert_chain: readonly { serial_number: string }[] }[];
      };
      return certificates.map(({ cert_chain: [leaf] }) => leaf?.serial_number).join();
    }),
  );
}

/** Answers with what it is told of its peer. */
async function startApplication(): Promise<Server> {
  const server = createServer(({ headers }, response) => response.end(headers['x-forwarded-client-cert']));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
