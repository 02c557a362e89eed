import { Resolver } from 'node:dns/promises';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { ControlPlaneProcess, freePorts, getJson, getText, Proxy, until } from '@kedge/testbed';
import { Application } from './testing/application.ts';

const envoy = process.env['ENVOY_BIN'] ?? '';
if (!envoy) throw new Error('ENVOY_BIN is not set');
jest.setTimeout(60_000);

const address = '127.0.0.4';

let owned: AsyncDisposableStack;
let dir: string;
let application: Application;
let proxy: Proxy;
let resolver: Resolver;
let inbound = 0;

beforeAll(async () => {
  owned = new AsyncDisposableStack();
  dir = await mkdtemp(join(tmpdir(), 'workload-'));
  owned.defer(() => rm(dir, { recursive: true, force: true }));
  application = owned.use(await new Application().start('0.0.0.0'));
  const [inboundPort = 0, dns = 0] = await freePorts(2);
  inbound = inboundPort;
  await mkdir(join(dir, 'config'));
  await apply();
  const controlPlane = owned.use(await ControlPlaneProcess.start({ configDir: join(dir, 'config'), dir }));
  proxy = owned.use(
    await Proxy.start({
      name: 'web',
      namespace: 'shop',
      kind: 'sidecar',
      address,
      labels: { app: 'web' },
      discoveryPort: controlPlane.ports.grpc,
      envoy,
      dir,
      environment: {
        ISTIO_META_DNS_CAPTURE: 'true',
        DNS_PROXY_ADDR: `127.0.0.1:${dns}`,
        ISTIO_PROMETHEUS_ANNOTATIONS: JSON.stringify({ scrape: 'true', path: '/metrics', port: `${application.port}` }),
        ISTIO_KUBE_APP_PROBERS: JSON.stringify({
          '/app-health/app/readyz': { httpGet: { path: '/well', port: application.port }, timeoutSeconds: 2 },
        }),
      },
    }),
  );
  resolver = new Resolver();
  resolver.setServers([`127.0.0.1:${dns}`]);
  await proxy.ready();
});
afterAll(() => owned.disposeAsync());

/** Writes what the mesh consists of, with another object. */
async function apply(further = ''): Promise<void> {
  const text = `
apiVersion: security.istio.io/v1
kind: PeerAuthentication
metadata: {name: default, namespace: istio-system}
spec: {mtls: {mode: DISABLE}}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, labels: {app: web}}
spec: {serviceAccountName: web, containers: [{name: app, image: app}]}
status: {phase: Running, podIP: ${address}, podIPs: [{ip: ${address}}], conditions: [{type: Ready, status: 'True'}]}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {clusterIP: 10.96.0.9, selector: {app: web}, ports: [{name: http, port: 80, targetPort: ${inbound}}]}
---
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: one, namespace: shop}
spec:
  hosts: [one.example, '*.wild.example']
  addresses: [240.1.1.1]
  ports: [{number: 80, name: http, protocol: HTTP}]
  resolution: NONE
---
apiVersion: networking.istio.io/v1
kind: Sidecar
metadata: {name: web, namespace: shop}
spec:
  workloadSelector: {labels: {app: web}}
  ingress:
  - port: {name: http, number: ${inbound}, protocol: HTTP}
    bind: ${address}
    captureMode: NONE
    defaultEndpoint: 0.0.0.0:${application.port}
${further}`;
  // In one step: half a file would be none.
  await writeFile(join(dir, 'mesh.yaml'), text);
  await rename(join(dir, 'mesh.yaml'), join(dir, 'config/mesh.yaml'));
}

const agent = (path: string): string => `http://127.0.0.1:${proxy.agentPort}${path}`;

test('names of the mesh are answered', async () => {
  expect(await resolver.resolve4('web')).toEqual(['10.96.0.9']);
  expect(await resolver.resolve4('web.shop.svc.cluster.local')).toEqual(['10.96.0.9']);
  expect(await resolver.resolve4('one.example')).toEqual(['240.1.1.1']);
  expect(await resolver.resolve4('a.wild.example')).toEqual(['240.1.1.1']);
  await expect(resolver.resolve6('one.example')).rejects.toThrow('ENODATA');
  const { table } = (await getJson(agent('/debug/ndsz'))) as { table: Readonly<Record<string, unknown>> };
  expect(table['web.shop']).toEqual({ ips: ['10.96.0.9'] });
});

test('names follow the mesh', async () => {
  await apply(`---
apiVersion: v1
kind: Service
metadata: {name: later, namespace: shop}
spec: {clusterIP: 10.96.0.77, ports: [{name: http, port: 80}]}
`);
  await until('the new name', async () => (await resolver.resolve4('later')).includes('10.96.0.77'));
});

test('the application is probed where it is, and its answer is passed on', async () => {
  expect(await getText(agent('/app-health/app/readyz'), { headers: { 'user-agent': 'kube-probe' } })).toBe(
    'kube-probe',
  );
  application.isWell = false;
  await expect(getText(agent('/app-health/app/readyz'))).rejects.toThrow('answers 503');
  application.isWell = true;
});

test('metrics of agent, Envoy and application come as one', async () => {
  const text = await getText(agent('/stats/prometheus'));
  expect(text).toMatch(/istio_agent_dns_requests_total [1-9]/);
  expect(text).toContain('envoy_server_state');
  expect(text).toContain('app_requests 1');
});
