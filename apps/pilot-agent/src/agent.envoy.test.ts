import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type DeltaDiscoveryRequest, decode, encode } from '@kedge/envoy-api';
import { descendantsOf, freePorts, isAlive, until as eventually } from '@kedge/testbed';
import { send } from './http-client.ts';

const binaryPath = process.env['ENVOY_BIN'] ?? '';
if (!binaryPath) throw new Error('ENVOY_BIN is not set');
const main = fileURLToPath(new URL('./main.ts', import.meta.url));

/** A control plane that answers every subscription with nothing, and keeps what Envoy said first. */
class EmptyControlPlane {
  readonly #server = new Server();
  readonly requests: DeltaDiscoveryRequest[] = [];

  async listen(port: number): Promise<void> {
    this.#server.addService(
      {
        stream: {
          path: '/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources',
          requestStream: true,
          responseStream: true,
          requestSerialize: (value: Buffer) => value,
          requestDeserialize: (value: Buffer) => decode('envoy.service.discovery.v3.DeltaDiscoveryRequest', value),
          responseSerialize: (value: Buffer) => value,
          responseDeserialize: (value: Buffer) => value,
        },
      },
      {
        stream: (stream: ServerDuplexStream<DeltaDiscoveryRequest, Buffer>) => {
          stream.on('error', () => undefined);
          stream.on('data', (request: DeltaDiscoveryRequest) => {
            this.requests.push(request);
            if (request.responseNonce) return;
            const answer = { typeUrl: request.typeUrl, nonce: `${this.requests.length}`, systemVersionInfo: '1' };
            stream.write(Buffer.from(encode('envoy.service.discovery.v3.DeltaDiscoveryResponse', answer)));
          });
        },
      },
    );
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.#server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
    await promise;
  }

  close(): void {
    this.#server.forceShutdown();
  }
}

interface Ports {
  readonly xds: number;
  readonly admin: number;
  readonly agent: number;
  readonly status: number;
  readonly prometheus: number;
}

let dir: string;
let ports: Ports;
let agent: ChildProcess | undefined;
let output = '';
let controlPlane: EmptyControlPlane;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pilot-agent-'));
  const [xds, admin, agentPort, status, prometheus] = await freePorts(5);
  ports = { xds: xds!, admin: admin!, agent: agentPort!, status: status!, prometheus: prometheus! };
  controlPlane = new EmptyControlPlane();
  output = '';
});

afterEach(async () => {
  // By id, and only what this test started: the agent's children first, for a killed agent leaves them.
  const pids = agent?.pid === undefined ? [] : [...descendantsOf(agent.pid), agent.pid];
  for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  controlPlane.close();
  await rm(dir, { recursive: true, force: true });
});

function startAgent(environment: Readonly<Record<string, string>> = {}): ChildProcess {
  const child = spawn(process.execPath, [main, 'proxy', 'sidecar', '--concurrency', '1'], {
    cwd: dir,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PROXY_CONFIG: JSON.stringify({
        binaryPath,
        configPath: join(dir, 'proxy'),
        proxyAdminPort: ports.admin,
        statusPort: ports.agent,
        discoveryAddress: `127.0.0.1:${ports.xds}`,
        controlPlaneAuthPolicy: 'NONE',
        terminationDrainDuration: '1s',
      }),
      ENVOY_STATUS_PORT: `${ports.status}`,
      ENVOY_PROMETHEUS_PORT: `${ports.prometheus}`,
      POD_NAME: 'web-0',
      POD_NAMESPACE: 'shop',
      INSTANCE_IP: '127.0.0.2',
      ...environment,
    },
  });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  agent = child;
  return child;
}

test('ready once configured; restarted when killed; drained and gone on SIGTERM', async () => {
  // HBONE asks for an extension that a stock Envoy lacks.
  const child = startAgent({ ISTIO_META_ENABLE_HBONE: 'true' });
  await until('the agent answers', async () => (await status(ports.agent)) === 503);

  await controlPlane.listen(ports.xds);
  await until('ready', async () => (await status(ports.agent)) === 200);
  await until('ready through Envoy', async () => (await status(ports.status)) === 200);
  const node = controlPlane.requests[0]?.node;
  expect(node).toMatchObject({
    id: 'sidecar~127.0.0.2~web-0.shop~shop.svc.cluster.local',
    metadata: { NAME: 'web-0', NAMESPACE: 'shop', ENABLE_HBONE: 'true' },
  });
  expect(node?.extensions?.length).toBeGreaterThan(10);
  expect(output).toContain('left out: metadata_discovery');

  const metrics = await get(ports.agent, '/stats/prometheus');
  expect(metrics.body).toContain('istio_agent_startup_duration_seconds');
  expect(metrics.body).toContain('envoy_server_state');

  const [first] = descendantsOf(child.pid!);
  process.kill(first!, 'SIGKILL');
  await until('another Envoy', async () => {
    const [next] = descendantsOf(child.pid!);
    return next !== undefined && next !== first && (await status(ports.agent)) === 200;
  });
  expect((await get(ports.agent, '/metrics')).body).toContain('istio_agent_envoy_restarts_total 1');

  const [second] = descendantsOf(child.pid!);
  const started = performance.now();
  child.kill('SIGTERM');
  const [code] = (await once(child, 'exit')) as [number | null];
  expect(code).toBe(0);
  expect(performance.now() - started).toBeGreaterThan(1000);
  expect(isAlive(second!)).toBe(false);
  expect(existsSync(join(dir, 'proxy/envoy-rev.json'))).toBe(false);
});

test('/quitquitquit ends at once, without draining', async () => {
  const child = startAgent();
  await until('Envoy runs', async () => (await get(ports.admin, '/server_info')).status === 200);
  const [envoy] = descendantsOf(child.pid!);
  const exit = once(child, 'exit');
  await send({ method: 'POST', host: '127.0.0.1', port: ports.agent, path: '/quitquitquit', timeoutMs: 2000 });
  expect(await exit).toEqual([0, null]);
  expect(isAlive(envoy!)).toBe(false);
  expect(output).not.toContain('draining');
});

test('with EXIT_ON_ZERO_ACTIVE_CONNECTIONS the agent ends when no connection is left', async () => {
  await controlPlane.listen(ports.xds);
  const child = startAgent({ EXIT_ON_ZERO_ACTIVE_CONNECTIONS: 'true', MINIMUM_DRAIN_DURATION: '100ms' });
  await until('ready', async () => (await status(ports.agent)) === 200);
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
  expect(output).toMatch(/no connection is left|counted no connection/);
});

test('a port that is taken is an error at once', async () => {
  const other = createServer().listen(ports.admin, '127.0.0.1');
  await once(other, 'listening');
  const [code] = (await once(startAgent(), 'exit')) as [number | null];
  other.close();
  expect(code).toBe(255);
  expect(output).toContain(`proxyAdminPort ${ports.admin}: `);
});

test('what needs certificates is refused where nobody serves them', async () => {
  const [code] = (await once(startAgent({ ENVOY_SECURE_METRICS_PORT: '15091' }), 'exit')) as [number | null];
  expect(code).toBe(255);
  expect(output).toContain('certificates are needed by ENVOY_SECURE_METRICS_PORT');
});

test('without the root of the control plane, the agent says so and waits', async () => {
  const config = { binaryPath, configPath: join(dir, 'proxy'), proxyAdminPort: ports.admin, statusPort: ports.agent };
  startAgent({ PROXY_CONFIG: JSON.stringify({ ...config, discoveryAddress: `127.0.0.1:${ports.xds}` }) });
  await until('the reason', async () => output.includes('./var/run/secrets/istio/root-cert.pem, by which'));
  await until('the status', async () => (await status(ports.agent)) === 503);
});

async function get(port: number, path: string) {
  return send({ method: 'GET', host: '127.0.0.1', port, path, timeoutMs: 2000 });
}

async function status(port: number): Promise<number> {
  return (await get(port, '/healthz/ready')).status;
}

async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
  try {
    await eventually(what, condition);
  } catch (error) {
    throw new Error(`${String(error)}\n${output}`);
  }
}
