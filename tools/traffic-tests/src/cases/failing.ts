import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { until } from '@kedge/testbed';
import { ask } from '../echo/http-echo.ts';
import { type HttpCase, type Request, serversOf, type Use } from './http-case.ts';

const NO_RETRIES = { attempts: 0 };
const MARK = 'x-mark';
const marked = (mark: string, headers: Request['headers'] = {}): Request => ({ headers: { ...headers, [MARK]: mark } });

/** How many requests with the mark arrived at each server, by name. */
function arrivals({ upstreams, mark }: Use): Readonly<Record<string, number>> {
  const counts = Object.values(upstreams.http).map(({ seen }, index) => {
    const own = seen.filter(({ headers }) => headers[MARK] === mark).length;
    return [`v${index + 1}`, own] as const;
  });
  return Object.fromEntries(counts);
}

/** Endpoints that fail twice in a row are left out for the rest of the test. */
const ejectAfterTwo = { consecutive5xxErrors: 2, interval: '0.1s', baseEjectionTime: '60s', maxEjectionPercent: 100 };

/** Failures: made on purpose, and what the proxy does about them. */
export const failingCases: readonly HttpCase[] = [
  {
    name: 'fault: delay',
    id: 'fault-delay',
    http: (to) => [
      {
        match: [{ headers: { 'x-slow': { exact: 'yes' } } }],
        fault: { delay: { fixedDelay: '0.3s', percentage: { value: 100 } } },
        route: [to('v1')],
      },
      { route: [to('v1')] },
    ],
    exchanges: [
      [{ headers: { 'x-slow': 'yes' } }, { status: 200, server: 'v1', ms: 300 }],
      [{}, { status: 200, server: 'v1' }],
    ],
  },
  {
    name: 'fault: abort',
    id: 'fault-abort',
    http: (to) => [{ fault: { abort: { httpStatus: 451, percentage: { value: 100 } } }, route: [to('v1')] }],
    exchanges: [[{}, { status: 451, server: undefined }]],
  },
  {
    name: 'timeout',
    id: 'timeout',
    http: (to) => [{ timeout: '0.25s', retries: NO_RETRIES, route: [to('v1')] }],
    exchanges: [
      [{}, { status: 200, server: 'v1' }],
      [{ headers: { [ask.delay]: '3000' } }, { status: 504, server: undefined, ms: 250 }],
    ],
  },
  {
    name: 'retries: as many as stated, for what is stated',
    id: 'retries',
    http: (to) => [
      { match: [{ uri: { prefix: '/never' } }], retries: NO_RETRIES, route: [to('v1')] },
      { retries: { attempts: 3, retryOn: '5xx', backoff: '0.001s' }, route: [to('v1')] },
    ],
    check: async (use) => {
      const failing = { [ask.status]: '500' };
      expect((await use.send(marked(use.mark, failing))).status).toBe(500);
      expect(arrivals(use)).toEqual({ v1: 4, v2: 0, v3: 0 });
      expect((await use.send(marked(use.mark, { [ask.status]: '404' }))).status).toBe(404);
      expect(arrivals(use)).toEqual({ v1: 5, v2: 0, v3: 0 });
      await use.send({ ...marked(use.mark, failing), path: '/never' });
      expect(arrivals(use)).toEqual({ v1: 6, v2: 0, v3: 0 });
    },
  },
  {
    name: 'retries: a try that takes too long',
    id: 'per-try-timeout',
    http: (to) => [
      { retries: { attempts: 2, perTryTimeout: '0.1s', retryOn: 'reset', backoff: '0.001s' }, route: [to('v1')] },
    ],
    check: async (use) => {
      const { status, ms } = await use.send(marked(use.mark, { [ask.delay]: '1000' }));
      expect(status).toBe(504);
      expect(ms).toBeGreaterThan(295);
      expect(arrivals(use)).toEqual({ v1: 3, v2: 0, v3: 0 });
    },
  },
  {
    name: 'outlier detection ejects an endpoint that fails',
    id: 'outlier',
    http: (to) => [{ retries: NO_RETRIES, route: [to.all] }],
    policy: {
      loadBalancer: { simple: 'ROUND_ROBIN', localityLbSetting: { enabled: false } },
      outlierDetection: ejectAfterTwo,
    },
    check: async ({ send }) => {
      const request = { headers: { [ask.failing]: 'v1' } };
      await until('the ejection', async () => {
        const statuses = await Promise.all(Array.from({ length: 9 }, async () => (await send(request)).status));
        return statuses.every((status) => status === 200);
      });
      const servers = await serversOf(send, 12);
      expect(servers).toEqual(new Set(['v2', 'v3']));
    },
  },
  {
    name: 'locality: the own region first, the other one once it fails',
    id: 'locality',
    http: (to) => [{ retries: NO_RETRIES, route: [to.all] }],
    policy: { outlierDetection: ejectAfterTwo },
    check: async ({ send }) => {
      expect(await serversOf(send, 12)).toEqual(new Set(['v1']));
      const request = { headers: { [ask.failing]: 'v1' } };
      await until('the failover', async () => (await send(request)).status === 200);
      expect(await serversOf(send, 12)).toEqual(new Set(['v2', 'v3']));
    },
  },
  {
    name: 'circuit breaking refuses what is too much',
    id: 'breaker',
    http: (to) => [{ retries: NO_RETRIES, route: [to('v1')] }],
    policy: { connectionPool: { tcp: { maxConnections: 1 }, http: { http1MaxPendingRequests: 1 } } },
    check: async ({ send }) => {
      const request = { headers: { [ask.delay]: '600' } };
      const first = send(request);
      // Until it has its connection it would be the one that waits.
      await sleep(200);
      const answers = await Promise.all([first, ...Array.from({ length: 9 }, () => send(request))]);
      const refused = answers.filter(({ headers }) => headers['x-envoy-overloaded'] === 'true');
      expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
      // One is under way and one waits.
      expect(answers.length - refused.length).toBe(2);
      expect((await send()).status).toBe(200);
    },
  },
];
