import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, get, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer, request, type RequestOptions } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Config } from '@kedge/model';
import { readScenario } from '@kedge/render';
import { freePorts, Proxy, testCertificates, until } from '@kedge/testbed';
import { objectsOf } from './testing/envoy-world.ts';
import { LivePlane } from './testing/live-plane.ts';

/* A stock Envoy as a gateway that ends TLS with Secrets, or passes it on. */

const { authority, backend, client, edge, renewed } = testCertificates;

/** Not the gateway's own, for a workload there would be the gateway. */
const APPLICATION_ADDRESS = '127.0.0.9';

const owned = new AsyncDisposableStack();
let plane: LivePlane;
let proxy: Proxy;
let ports: { readonly https: number; readonly mutual: number; readonly http: number };

beforeAll(async () => {
  const envoy = process.env['ENVOY_BIN'] ?? '';
  if (!envoy) throw new Error('ENVOY_BIN is not set');
  const dir = await mkdtemp(join(tmpdir(), 'gateway-tls-'));
  owned.defer(() => rm(dir, { recursive: true, force: true }));
  const plain = await listening(
    createServer((incoming, response) => response.end(String(incoming.headers['x-forwarded-client-cert'] ?? 'none'))),
  );
  const secure = await listening(
    createTlsServer({ cert: backend.certificate, key: backend.key }, (_, response) =>
      response.end('the backend itself'),
    ),
  );
  const [https = 0, mutual = 0, http = 0] = await freePorts(3);
  ports = { https, mutual, http };
  const { settings } = readScenario({
    manifests: [],
    proxies: { name: 'proxies.yaml', text: 'proxies: []\nenv: {PILOT_DEBOUNCE_AFTER: 5ms}' },
  });
  plane = owned.use(await LivePlane.start({ settings, objects: objects(plain, secure) }));
  proxy = owned.use(
    await Proxy.start({
      name: 'edge',
      namespace: 'edge',
      kind: 'router',
      address: '127.0.0.1',
      labels: { app: 'edge' },
      discoveryPort: plane.port,
      envoy,
      dir,
    }),
  );
  await proxy.ready();
}, 60_000);

afterAll(() => owned.disposeAsync());

/** Listens until the end of the tests. */
async function listening(server: Server): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  server.listen(0, APPLICATION_ADDRESS, () => resolve(undefined));
  await promise;
  owned.defer(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const entry = (name: string, host: string, port: number, protocol: string): string => `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: edge}
spec:
  hosts: [${host}]
  location: MESH_EXTERNAL
  resolution: STATIC
  ports: [{number: ${port}, name: main, protocol: ${protocol}}]
  endpoints: [{address: ${APPLICATION_ADDRESS}}]
---`;

const secret = ({ certificate, key }: typeof edge): string => `
apiVersion: v1
kind: Secret
metadata: {name: edge, namespace: edge}
stringData: ${JSON.stringify({ 'tls.crt': certificate, 'tls.key': key, 'ca.crt': authority })}
---`;

function objects(plain: number, secure: number): readonly Config[] {
  return objectsOf(`${secret(edge)}
${entry('plain', 'plain.internal', plain, 'HTTP')}
${entry('secure', 'secure.internal', secure, 'TLS')}
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: {name: edge, namespace: edge}
spec:
  selector: {app: edge}
  servers:
  - port: {name: http, number: ${ports.http}, protocol: HTTP}
    hosts: ["*.example.com"]
    tls: {httpsRedirect: true}
  - port: {name: https, number: ${ports.https}, protocol: HTTPS}
    hosts: [a.example.com]
    tls: {mode: SIMPLE, credentialName: edge}
  - port: {name: tls, number: ${ports.https}, protocol: TLS}
    hosts: [p.example.com]
    tls: {mode: PASSTHROUGH}
  - port: {name: mutual, number: ${ports.mutual}, protocol: HTTPS}
    hosts: ["*.example.com"]
    tls: {mode: MUTUAL, credentialName: edge, subjectAltNames: [client.example.com]}
---
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: plain, namespace: edge}
spec:
  hosts: ["*.example.com"]
  gateways: [edge]
  http: [{route: [{destination: {host: plain.internal}}]}]
---
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: secure, namespace: edge}
spec:
  hosts: [p.example.com]
  gateways: [edge]
  tls: [{match: [{sniHosts: [p.example.com]}], route: [{destination: {host: secure.internal}}]}]
`);
}

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
  /** Serial number of the server's certificate. */
  readonly serial: string;
}

/** A request to a name on a port of the gateway, over a connection of its own. */
function ask(port: number, servername: string, options: RequestOptions = {}): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const headers = { host: servername };
  const sent = request({ host: '127.0.0.1', port, servername, ca: authority, agent: false, headers, ...options });
  sent.on('error', reject).on('response', (response) => {
    const serial = response.socket instanceof TLSSocket ? response.socket.getPeerCertificate().serialNumber : '';
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () => resolve({ status: response.statusCode, body: Buffer.concat(chunks).toString(), serial }));
  });
  sent.end();
  return promise;
}

test('nothing is refused', () => {
  expect(plane.events('nack')).toEqual([]);
});

test('HTTPS with the certificate of a Secret, which may change under way', async () => {
  const before = await ask(ports.https, 'a.example.com');
  expect(before).toEqual(expect.objectContaining({ status: 200, body: 'none' }));
  plane.source.put(...objectsOf(secret(renewed)));
  const after = await until('the renewed certificate', async () => {
    const answer = await ask(ports.https, 'a.example.com');
    return answer.serial !== before.serial && answer;
  });
  expect(after.status).toBe(200);
});

test('mutual TLS: clients show a certificate of the right name, and upstreams are told', async () => {
  const { certificate: cert, key } = client;
  const known = await ask(ports.mutual, 'a.example.com', { cert, key });
  expect(known.status).toBe(200);
  expect(known.body).toContain('DNS=client.example.com');
  await expect(ask(ports.mutual, 'a.example.com')).rejects.toThrow();
  const { certificate: other, key: otherKey } = backend;
  await expect(ask(ports.mutual, 'a.example.com', { cert: other, key: otherKey })).rejects.toThrow();
});

test('TLS is passed on to where the SNI says, beside what is ended', async () => {
  expect(await ask(ports.https, 'p.example.com')).toEqual(
    expect.objectContaining({ status: 200, body: 'the backend itself' }),
  );
});

test('a name that no chain is for gets no connection', async () => {
  await expect(ask(ports.https, 'b.example.com')).rejects.toThrow();
});

test('plain HTTP is sent to HTTPS', async () => {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const options = { host: '127.0.0.1', port: ports.http, path: '/x', headers: { host: 'a.example.com' } };
  get(options, resolve).on('error', reject);
  const response = (await promise).resume();
  expect([response.statusCode, response.headers.location]).toEqual([301, 'https://a.example.com/x']);
});
