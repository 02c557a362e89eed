import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createMetricRegistry } from '@kedge/observability';
import { send } from '../http-client.ts';
import { registerAgentMetrics } from '../metrics.ts';
import { collectingLogger } from '../testing/collecting-logger.ts';
import { Readiness } from './readiness.ts';
import { StatusServer } from './status-server.ts';

const ready = {
  'cluster_manager.cds.update_success': 1,
  'listener_manager.lds.update_success': 1,
  'server.state': 0,
  'listener_manager.workers_started': 1,
};

/** An Envoy of which only the statistics are there. */
let stats: Readonly<Record<string, number>> = {};
let calls: string[] = [];
const envoy = createServer((request, response) => {
  calls.push(request.url ?? '');
  const lines = Object.entries(stats).map(([name, value]) => `${name}: ${value}\n`);
  response.end(request.url?.startsWith('/stats/prometheus') ? 'envoy_metric 1\n' : lines.join(''));
});
let server: StatusServer;
let port = 0;

beforeEach(async () => {
  calls = [];
  await new Promise<void>((resolve) => envoy.listen(0, '127.0.0.1', resolve));
  const admin = { host: '127.0.0.1', port: (envoy.address() as AddressInfo).port };
  const readiness = new Readiness(admin);
  const registry = createMetricRegistry();
  server = new StatusServer({
    notReadyReason: () => readiness.notReadyReason(),
    envoy: admin,
    metricsOnLocalhost: true,
    registry,
    metrics: registerAgentMetrics(registry),
    drain: () => calls.push('drain'),
    quit: () => calls.push('quit'),
    log: collectingLogger().log,
  });
  port = await server.listen(0);
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await new Promise((resolve) => envoy.close(resolve));
});

const ask = (path: string, method = 'GET') => send({ method, host: '127.0.0.1', port, path, timeoutMs: 2000 });

describe('readiness', () => {
  test.each([
    [{}, 'is istiod running?'],
    [{ ...ready, 'listener_manager.lds.update_success': 0 }, 'not complete'],
    [{ 'cluster_manager.cds.update_success': 1, 'listener_manager.lds.update_rejected': 1 }, 'rejected'],
    [{ ...ready, 'server.state': 3 }, 'INITIALIZING'],
    [{ ...ready, 'listener_manager.workers_started': 0 }, 'workers'],
  ])('%j: %s', async (given, reason) => {
    stats = given;
    expect(await ask('/healthz/ready')).toEqual({ status: 503, body: expect.stringContaining(reason) as unknown });
  });

  test('what was true once is not asked for again', async () => {
    stats = ready;
    expect((await ask('/healthz/ready')).status).toBe(200);
    const before = calls.length;
    expect((await ask('/ready')).status).toBe(200);
    expect(calls.length).toBe(before);
  });
});

test("metrics are the agent's and Envoy's", async () => {
  const { status, body } = await ask('/stats/prometheus?usedonly');
  expect(status).toBe(200);
  expect(body).toContain('istio_agent_scrapes_total 1');
  expect(body).toContain('envoy_metric 1');
  expect(calls).toContain('/stats/prometheus?usedonly');
});

test.each([
  ['POST', '/quitquitquit', 200, ['quit']],
  ['POST', '/drain', 200, ['drain']],
  ['GET', '/quitquitquit', 405, []],
  ['GET', '/app-health/web/livez', 501, []],
  ['GET', '/constructor', 404, []],
])('%s %s is %d', async (method, path, status, expected) => {
  expect((await ask(path, method)).status).toBe(status);
  expect(calls).toEqual(expected);
});
