import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { packAny } from '@kedge/envoy-api';
import { freePorts, getText, Proxy, until } from '@kedge/testbed';
import { send } from '../http-client.ts';
import { FixedControlPlane } from '../testing/fixed-control-plane.ts';

const envoy = process.env['ENVOY_BIN'] ?? '';
if (!envoy) throw new Error('ENVOY_BIN is not set');
jest.setTimeout(60_000);

const types = 'type.googleapis.com/';
const host = '127.0.0.1';

let owned: AsyncDisposableStack;
let proxy: Proxy;
let port = 0;
let discoveryPort = 0;
/** Requests that the application has not answered yet. */
let waiting: ServerResponse[];

beforeEach(async () => {
  owned = new AsyncDisposableStack();
  waiting = [];
  const application = createServer((_, response) => void waiting.push(response)).listen(0, host);
  owned.defer(() => void application.close().closeAllConnections());
  await once(application, 'listening');
  const controlPlane = owned.use(await new FixedControlPlane().start());
  [port = 0] = await freePorts(1);
  discoveryPort = controlPlane.port;
  serve(controlPlane, (application.address() as AddressInfo).port);
});
afterEach(() => owned.disposeAsync());

function serve(controlPlane: FixedControlPlane, applicationPort: number): void {
  const address = (portValue: number) => ({ socketAddress: { address: host, portValue } });
  const manager = packAny('envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager', {
    statPrefix: 'inbound',
    routeConfig: {
      virtualHosts: [{ name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { cluster: 'app' } }] }],
    },
    httpFilters: [
      { name: 'router', typedConfig: { '@type': `${types}envoy.extensions.filters.http.router.v3.Router` } },
    ],
  });
  controlPlane.set(`${types}envoy.config.cluster.v3.Cluster`, {
    app: packAny('envoy.config.cluster.v3.Cluster', {
      name: 'app',
      loadAssignment: {
        clusterName: 'app',
        endpoints: [{ lbEndpoints: [{ endpoint: { address: address(applicationPort) } }] }],
      },
    }),
  });
  controlPlane.set(`${types}envoy.config.listener.v3.Listener`, {
    inbound: packAny('envoy.config.listener.v3.Listener', {
      name: 'inbound',
      trafficDirection: 'INBOUND',
      address: address(port),
      filterChains: [{ filters: [{ name: 'http', typedConfig: manager }] }],
    }),
  });
}

async function start(environment: Readonly<Record<string, string>>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'termination-'));
  owned.defer(() => rm(dir, { recursive: true, force: true }));
  const identity = { name: 'web', namespace: 'shop', kind: 'sidecar', address: host, labels: {} } as const;
  proxy = owned.use(await Proxy.start({ ...identity, discoveryPort, envoy, dir, environment }));
  await proxy.ready();
}

/** The status of a request, which the application holds until it is let go. */
function requestStatus(): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  request({ host, port, agent: false }, (response) => resolve(response.resume().statusCode))
    .on('error', reject)
    .end();
  return promise;
}

test('with EXIT_ON_ZERO_ACTIVE_CONNECTIONS a request is finished before the end', async () => {
  await start({ EXIT_ON_ZERO_ACTIVE_CONNECTIONS: 'true', MINIMUM_DRAIN_DURATION: '100ms' });
  const answered = requestStatus();
  await until('the request', () => waiting.length === 1);
  process.kill(proxy.child.pid, 'SIGTERM');
  const ready = `http://${host}:${proxy.agentPort}/healthz/ready`;
  await until('not to be ready', async () => /terminating/.test(await getText(ready).catch(String)));
  await sleep(2500);
  expect(proxy.child.hasEnded).toBe(false);
  waiting[0]!.end('done');
  expect(await answered).toBe(200);
  expect(await proxy.child.ended).toBe('ended with code 0');
});

test('once it was told to drain it serves on, and ends at once when it shall', async () => {
  await start({ EXIT_ON_ZERO_ACTIVE_CONNECTIONS: 'true', MINIMUM_DRAIN_DURATION: '30s' });
  await send({ method: 'POST', host, port: proxy.agentPort, path: '/drain', timeoutMs: 5000 });
  const answered = requestStatus();
  await until('the request', () => waiting.length === 1);
  waiting[0]!.end('done');
  expect(await answered).toBe(200);
  const started = performance.now();
  process.kill(proxy.child.pid, 'SIGTERM');
  expect(await proxy.child.ended).toBe('ended with code 0');
  expect(performance.now() - started).toBeLessThan(15_000);
});

test('a second signal ends the draining', async () => {
  await start({ EXIT_ON_ZERO_ACTIVE_CONNECTIONS: 'true', MINIMUM_DRAIN_DURATION: '50s' });
  process.kill(proxy.child.pid, 'SIGTERM');
  await until('it to drain', () => proxy.child.tail().some((line) => line.includes('draining for 50000 ms')));
  process.kill(proxy.child.pid, 'SIGTERM');
  expect(await proxy.child.ended).toBe('ended with code 0');
});
