import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, credentials } from '@grpc/grpc-js';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { ServerStream } from '@kedge/grpc-server';
import { freePorts, until } from '@kedge/testbed';
import { adsServiceName } from '@kedge/xds-core';
import { send } from '../http-client.ts';
import { MeshAuthority } from '../testing/mesh-authority.ts';
import { grpcBootstrap } from './grpc-bootstrap.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));
const description = {
  nodeId: 'sidecar~10.0.0.1~web.shop~shop.svc.cluster.local',
  metadata: { INSTANCE_IPS: '10.0.0.1', METADATA_DISCOVERY: 'false' },
  xdsSocket: '/etc/istio/proxy/XDS',
} as const;

test('the bootstrap is what gRPC expects', () => {
  const labelled = { ...description.metadata, LABELS: { 'topology.istio.io/locality': 'r.z' } };
  expect(grpcBootstrap({ ...description, metadata: labelled }, '/certs')).toEqual({
    xds_servers: [
      {
        server_uri: 'unix:///etc/istio/proxy/XDS',
        channel_creds: [{ type: 'insecure' }],
        server_features: ['xds_v3'],
      },
    ],
    node: {
      id: description.nodeId,
      metadata: { ...labelled, GENERATOR: 'grpc' },
      locality: { region: 'r', zone: 'z' },
    },
    certificate_providers: {
      default: {
        plugin_name: 'file_watcher',
        config: {
          certificate_file: '/certs/cert-chain.pem',
          private_key_file: '/certs/key.pem',
          ca_certificate_file: '/certs/root-cert.pem',
          refresh_interval: '900s',
        },
      },
    },
    server_listener_resource_name_template: 'xds.istio.io/grpc/lds/inbound/%s',
  });
  expect(grpcBootstrap(description, '')).not.toHaveProperty('certificate_providers');
});

interface Bootstrap {
  readonly xds_servers: readonly { readonly server_uri: string }[];
}

let dir: string;
let mesh: MeshAuthority;
let agent: ChildProcess | undefined;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'grpc-'));
  const echo = (stream: ServerStream): void => stream.receive((message) => void stream.write(Buffer.from(message)));
  mesh = await MeshAuthority.start({ [adsServiceName]: { StreamAggregatedResources: { kind: 'bidi', handle: echo } } });
});
afterEach(async () => {
  agent?.kill('SIGKILL');
  await mesh[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

test('without Envoy, the agent serves bootstrap, certificate and xDS, until it is told to end', async () => {
  const files = { 'tokens/istio-token': mesh.issuer.token('shop', 'web'), 'istio/root-cert.pem': mesh.authority.roots };
  for (const [name, text] of Object.entries(files)) {
    const path = join(dir, 'var/run/secrets', name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  const [statusPort = 0] = await freePorts(1);
  const { address, serverName } = mesh.target;
  agent = spawn(process.execPath, [main, 'proxy', 'sidecar'], {
    cwd: dir,
    stdio: 'ignore',
    env: {
      DISABLE_ENVOY: 'true',
      GRPC_XDS_BOOTSTRAP: join(dir, 'bootstrap.json'),
      OUTPUT_CERTS: join(dir, 'certs'),
      ISTIOD_SAN: serverName,
      PROXY_CONFIG: JSON.stringify({ configPath: join(dir, 'proxy'), statusPort, discoveryAddress: address }),
      POD_NAME: 'web-0',
      POD_NAMESPACE: 'shop',
      SERVICE_ACCOUNT: 'web',
      INSTANCE_IP: '10.0.0.1',
    },
  });
  const ready = { method: 'GET', host: '127.0.0.1', port: statusPort, path: '/healthz/ready', timeoutMs: 1000 };
  await until('the agent to be ready', async () => (await send(ready)).status === 200);
  expect(await readFile(join(dir, 'certs/cert-chain.pem'), 'utf8')).toContain('BEGIN CERTIFICATE');
  const bootstrap = JSON.parse(await readFile(join(dir, 'bootstrap.json'), 'utf8')) as Bootstrap;
  const client = new Client(bootstrap.xds_servers[0]!.server_uri, credentials.createInsecure());
  const raw = (bytes: Buffer): Buffer => bytes;
  const stream = client.makeBidiStreamRequest(`/${adsServiceName}/StreamAggregatedResources`, raw, raw);
  stream.on('error', () => undefined);
  stream.write(Buffer.from('ping'));
  const [answer] = (await once(stream, 'data')) as [Buffer];
  expect(answer.toString()).toBe('ping');
  client.close();
  agent.kill('SIGTERM');
  expect(await once(agent, 'exit')).toEqual([0, null]);
});
