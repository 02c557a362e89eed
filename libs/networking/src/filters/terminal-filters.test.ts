import { expect, test } from '@jest/globals';
import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import type { Protocol } from '@kedge/model';
import { meshOf, proxyOf } from '../testing/mesh.ts';
import { terminalFilters } from './terminal-filters.ts';

const TCP_PROXY = 'envoy.filters.network.tcp_proxy';
const names = query('testedTerminalFilters', (read: MeshRead, protocol: string) =>
  terminalFilters(read, protocol as Protocol, { statPrefix: 'x', cluster: 'c', tcp: { name: TCP_PROXY } })
    .map(({ name = '' }) => name.replace('envoy.filters.network.', ''))
    .join(),
);
const environment = { PILOT_ENABLE_MYSQL_FILTER: 'true', PILOT_ENABLE_REDIS_FILTER: 'true' };

test.each<[Protocol, string, string]>([
  ['MYSQL', 'mysql_proxy,tcp_proxy', 'tcp_proxy'],
  ['MONGO', 'mongo_proxy,tcp_proxy', 'mongo_proxy,tcp_proxy'],
  ['REDIS', 'redis_proxy', 'tcp_proxy'],
  ['TCP', 'tcp_proxy', 'tcp_proxy'],
])('%s: %s, and %s where the Envoy has no filters but for Mongo', (protocol, all, some) => {
  const push = meshOf('', { environment });
  const stock = proxyOf('stock', { extensions: ['envoy.filters.network.mongo_proxy'] });
  expect(push.evaluate(proxyOf('web'), names, protocol)).toBe(all);
  expect(push.evaluate(stock, names, protocol)).toBe(some);
});
