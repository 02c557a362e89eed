import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createMetricRegistry } from '@kedge/observability';
import { send } from '../http-client.ts';
import { registerAgentMetrics } from '../metrics.ts';
import { collectingLogger } from '../testing/collecting-logger.ts';
import { LookupTable } from '../dns/lookup-table.ts';
import type { AppProber } from './app-probers.ts';
import { MergedMetrics } from './merged-metrics.ts';
import { Readiness } from './readiness.ts';
import type { ScrapeTarget } from './scrape-targets.ts';
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
/** An application that answers with what it is asked. */
let applicationType = 'text/plain';
const application = createServer((request, response) => {
  calls.push(`application ${request.url} ${request.headers.accept}`);
  if (request.url === '/broken') response.statusCode = 500;
  if (request.url === '/teapot') response.statusCode = 418;
  response.setHeader('content-type', applicationType);
  response.end(request.url === '/host' ? request.headers.host : `app_metric 1\n# EOF\n`);
});
const names = new LookupTable(
  { table: { 'one.example': { registry: 'External', ips: ['240.240.0.1', 'fd00::1'] } } },
  { namespace: 'shop', domain: '' },
);
const { log } = collectingLogger();
let server: StatusServer;
let port = 0;
let applicationPort = 0;

beforeEach(async () => {
  calls = [];
  applicationType = 'text/plain';
  await new Promise<void>((resolve) => envoy.listen(0, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve));
  applicationPort = (application.address() as AddressInfo).port;
  await start([{ port: applicationPort, path: '/metrics' }]);
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await new Promise((resolve) => envoy.close(resolve));
  await new Promise((resolve) => application.close(resolve));
});

async function start(targets: readonly ScrapeTarget[]): Promise<void> {
  const admin = { host: '127.0.0.1', port: (envoy.address() as AddressInfo).port };
  const readiness = new Readiness(admin);
  const registry = createMetricRegistry();
  const metrics = registerAgentMetrics(registry);
  const httpGet = (path: string) =>
    ({ httpGet: { path, port: applicationPort, scheme: 'http' }, timeoutMs: 1000 }) as const;
  server = new StatusServer({
    notReadyReason: () => readiness.notReadyReason(),
    metrics: new MergedMetrics({ registry, metrics, envoy: admin, application: targets, log }),
    metricsOnLocalhost: true,
    probers: new Map<string, AppProber>([
      ['/app-health/web/livez', httpGet('/teapot')],
      ['/app-health/web/readyz', httpGet('/host')],
      ['/app-health/web/startupz', { tcpSocket: { port: 1 }, timeoutMs: 1000 }],
      ['/app-lifecycle/web/prestopz', { tcpSocket: { port: applicationPort }, timeoutMs: 1000 }],
    ]),
    applicationHost: '127.0.0.1',
    http2Probes: true,
    names: () => names,
    drain: () => calls.push('drain'),
    quit: () => calls.push('quit'),
    log,
  });
  port = await server.listen(0);
}

const ask = (path: string, method = 'GET', headers = {}) =>
  send({ method, host: '127.0.0.1', port, path, timeoutMs: 2000, headers });

describe('readiness', () => {
  test.each([
    [{}, 'is istiod running?'],
    [{ ...ready, 'listener_manager.lds.update_success': 0 }, 'not complete'],
    [{ 'cluster_manager.cds.update_success': 1, 'listener_manager.lds.update_rejected': 1 }, 'rejected'],
    [{ ...ready, 'server.state': 3 }, 'INITIALIZING'],
    [{ ...ready, 'listener_manager.workers_started': 0 }, 'workers'],
  ])('%j: %s', async (given, reason) => {
    stats = given;
    expect(await ask('/healthz/ready')).toMatchObject({
      status: 503,
      body: expect.stringContaining(reason) as unknown,
    });
  });

  test('what was true once is not asked for again', async () => {
    stats = ready;
    expect((await ask('/healthz/ready')).status).toBe(200);
    const before = calls.length;
    expect((await ask('/ready')).status).toBe(200);
    expect(calls.length).toBe(before);
  });
});

describe('metrics', () => {
  test("they are the agent's, Envoy's and the application's", async () => {
    const { status, body, contentType } = await ask('/stats/prometheus?usedonly');
    expect(status).toBe(200);
    expect(contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(body).toContain('istio_agent_scrapes_total 1');
    expect(body).toMatch(/envoy_metric 1\napp_metric 1\n$/);
    expect(calls).toContain('/stats/prometheus?usedonly');
    expect(calls).toContain('application /metrics text/plain;version=0.0.4');
  });

  test('OpenMetrics of the application stay what they are, with one end', async () => {
    applicationType = 'application/openmetrics-text; version=1.0.0';
    await server[Symbol.asyncDispose]();
    await start([1, 2].map(() => ({ port: applicationPort, path: '/metrics' })));
    const { body, contentType } = await ask('/metrics', 'GET', { accept: applicationType });
    expect(contentType).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    expect(body.match(/# EOF/g)).toHaveLength(1);
    expect(body).toMatch(/envoy_metric 1\napp_metric 1\napp_metric 1\n# EOF\n$/);
    expect(body).not.toContain('\n\n');
    expect(calls.at(-1)).toBe('application /metrics application/openmetrics-text;version=1.0.0;q=0.1');
  });

  test('a part that fails is counted, the others are there', async () => {
    await server[Symbol.asyncDispose]();
    await start([
      { port: applicationPort, path: '/broken' },
      { port: applicationPort, path: '/metrics' },
    ]);
    const { status, body } = await ask('/metrics');
    expect(status).toBe(200);
    expect(body).toContain('istio_agent_scrape_failures_total{type="application"} 1');
    expect(body).toMatch(/envoy_metric 1\napp_metric 1\n$/);
  });

  test('they are compressed for those who take it', async () => {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { 'accept-encoding': 'gzip' } });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(await response.text()).toContain('app_metric 1');
  });
});

describe('probes of the application', () => {
  test('the answer is that of the application', async () => {
    expect(await ask('/app-health/web/livez')).toMatchObject({ status: 418, body: 'app_metric 1\n# EOF\n' });
  });

  test.each([
    ['web.shop', 'web.shop'],
    ['10.0.0.1:PORT', '10.0.0.1:APP'],
    ['[fd00::1]:PORT', '[fd00::1]:APP'],
    ['10.0.0.1:80', '10.0.0.1:80'],
  ])('the host %s becomes %s', async (host, expected) => {
    const { body } = await ask('/app-health/web/readyz', 'GET', { host: host.replace('PORT', `${port}`) });
    expect(body).toBe(expected.replace('APP', `${applicationPort}`));
  });

  test.each([
    ['/app-health/web/startupz', 500],
    ['/app-lifecycle/web/prestopz', 200],
    ['/app-health/other/livez', 400],
  ])('%s is %d', async (path, status) => {
    expect((await ask(path)).status).toBe(status);
  });
});

test('the names of the mesh are shown', async () => {
  const { body, contentType } = await ask('/debug/ndsz');
  expect(contentType).toBe('application/json');
  expect(JSON.parse(body)).toEqual({ table: { 'one.example': { ips: ['240.240.0.1', 'fd00::1'] } } });
});

test.each([
  ['POST', '/quitquitquit', 200, ['quit']],
  ['POST', '/drain', 200, ['drain']],
  ['GET', '/quitquitquit', 405, []],
  ['GET', '/debug/pprof/heap', 501, []],
  ['GET', '/constructor', 404, []],
])('%s %s is %d', async (method, path, status, expected) => {
  expect((await ask(path, method)).status).toBe(status);
  expect(calls).toEqual(expected);
});
