import { expect, test } from '@jest/globals';
import { createMetricRegistry } from '../metrics/registry.ts';
import { buildInfo, versionLine } from '../version.ts';
import type { Routes } from './http-server.ts';
import { monitoringRoutes, readyRoutes } from './server-routes.ts';

const get = async (routes: Routes, path: string) =>
  routes.get(path)?.({ method: 'GET', path, query: new URLSearchParams(), peer: '127.0.0.1' });

test.each(['/ready', '/healthz'])('%s tells whether the server goes on', async (path) => {
  const stop = new AbortController();
  const routes = readyRoutes(stop.signal);
  expect((await get(routes, path))?.status ?? 200).toBe(200);
  stop.abort();
  expect((await get(routes, path))?.status).toBe(503);
});

test('metrics and the version are for monitoring', async () => {
  const registry = createMetricRegistry();
  const routes = monitoringRoutes(registry);
  expect(await get(routes, '/metrics')).toEqual({ contentType: registry.contentType, body: await registry.text() });
  expect((await get(routes, '/version'))?.body).toBe(versionLine(buildInfo));
});
