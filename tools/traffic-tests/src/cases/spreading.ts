import { expect } from '@jest/globals';
import { until } from '@kedge/testbed';
import { type HttpCase, type Request, serversOf, type Use } from './http-case.ts';

const REQUESTS = 400;

/** The share of v2 must be this, give or take five standard deviations. */
async function expectShare({ send }: Use, share: number): Promise<void> {
  let v2 = 0;
  for (let sent = 0; sent < REQUESTS; sent += 8) {
    const answers = await Promise.all(Array.from({ length: 8 }, () => send()));
    v2 += answers.filter(({ echoed }) => echoed?.server === 'v2').length;
  }
  const deviation = Math.sqrt(REQUESTS * share * (1 - share));
  expect(Math.abs(v2 - REQUESTS * share)).toBeLessThanOrEqual(5 * deviation);
}

const users = ['ada', 'bob', 'cyd', 'dan', 'eve', 'fay', 'gus', 'hal', 'ida', 'joe', 'kay', 'leo'];

/** Requests of the same kind reach the same server, and several servers have requests. */
async function expectSticky({ send }: Use, requestOf: (user: string) => Request): Promise<void> {
  const servers = new Map<string, ReadonlySet<string | undefined>>();
  for (const user of users) {
    servers.set(user, await serversOf(send, 4, requestOf(user)));
  }
  expect([...servers].filter(([, { size }]) => size !== 1)).toEqual([]);
  expect(new Set([...servers.values()].flatMap((all) => [...all])).size).toBeGreaterThan(1);
}

/** All regions alike. */
const everywhere = { localityLbSetting: { enabled: false } };

/** All servers have requests. */
const balancing = (simple: string): HttpCase => ({
  name: `load balancer ${simple}`,
  id: `balancer-${simple.toLowerCase().replace('_', '-')}`,
  policy: { loadBalancer: { simple, ...everywhere } },
  check: async ({ send }) => expect(await serversOf(send, 30)).toEqual(new Set(['v1', 'v2', 'v3'])),
});

/** Requests that are spread over several servers. */
export const spreadingCases: readonly HttpCase[] = [
  {
    name: 'weights',
    id: 'weights',
    http: (to) => [{ route: [to('v1', { weight: 75 }), to('v2', { weight: 25 })] }],
    check: (use) => expectShare(use, 0.25),
  },
  ...['ROUND_ROBIN', 'LEAST_REQUEST', 'RANDOM'].map(balancing),
  {
    name: 'a mirror gets what another one answers',
    id: 'mirror',
    http: (to) => [{ route: [to('v1')], mirrors: [{ ...to('v3'), percentage: { value: 100 } }] }],
    check: async ({ send, upstreams, mark }) => {
      const answer = await send({ path: `/${mark}` });
      expect(answer.echoed?.server).toBe('v1');
      const copy = await until('the copy', () => upstreams.http.v3.seen.find(({ path }) => path === `/${mark}`));
      expect(copy.host).toBe(answer.echoed?.host);
    },
  },
  {
    name: 'stickiness by a header',
    id: 'hash-header',
    policy: { loadBalancer: { consistentHash: { httpHeaderName: 'x-user' }, ...everywhere } },
    check: (use) => expectSticky(use, (user) => ({ headers: { 'x-user': user } })),
  },
  {
    name: 'stickiness by a header, with Maglev',
    id: 'hash-maglev',
    policy: {
      loadBalancer: { consistentHash: { httpHeaderName: 'x-user', maglev: { tableSize: 1009 } }, ...everywhere },
    },
    check: (use) => expectSticky(use, (user) => ({ headers: { 'x-user': user } })),
  },
  {
    name: 'stickiness by a query parameter',
    id: 'hash-query',
    policy: { loadBalancer: { consistentHash: { httpQueryParameterName: 'user' }, ...everywhere } },
    check: (use) => expectSticky(use, (user) => ({ path: `/?user=${user}` })),
  },
  {
    name: 'stickiness by a cookie that the proxy sets',
    id: 'hash-cookie',
    policy: {
      loadBalancer: { consistentHash: { httpCookie: { name: 'place', path: '/', ttl: '60s' } }, ...everywhere },
    },
    check: async (use) => {
      const [cookie = ''] = (await use.send()).headers['set-cookie'] ?? [];
      expect(cookie).toMatch(/^place="?[^;]+; Max-Age=60; Path=\/; HttpOnly/);
      await expectSticky(use, (user) => ({ headers: { cookie: `place=${user}` } }));
    },
  },
];
