import type { MeshRead } from '@kedge/config';
import type { Features, Protocol } from '@kedge/model';
import { features, hasExtension } from '@kedge/pushcontext';
import { filter, type NetworkFilter } from './network-filter.ts';

interface Terminal {
  readonly statPrefix: string;
  readonly cluster: string;
  readonly tcp: NetworkFilter;
}

/** Filters that understand a protocol: before the TCP proxy, or, as Redis's, in its place. */
const BY_PROTOCOL: Partial<
  Readonly<
    Record<
      Protocol,
      { readonly isOn: (features: Features) => boolean; readonly filters: (t: Terminal) => readonly NetworkFilter[] }
    >
  >
> = {
  MONGO: {
    isOn: ({ mongoFilter }) => mongoFilter,
    filters: ({ statPrefix, tcp }) => [
      filter('envoy.filters.network.mongo_proxy', 'envoy.extensions.filters.network.mongo_proxy.v3.MongoProxy', {
        statPrefix,
      }),
      tcp,
    ],
  },
  MYSQL: {
    isOn: ({ mysqlFilter }) => mysqlFilter,
    filters: ({ statPrefix, tcp }) => [
      filter('envoy.filters.network.mysql_proxy', 'envoy.extensions.filters.network.mysql_proxy.v3.MySQLProxy', {
        statPrefix,
      }),
      tcp,
    ],
  },
  REDIS: {
    isOn: ({ redisFilter }) => redisFilter,
    filters: ({ statPrefix, cluster }) => [
      filter('envoy.filters.network.redis_proxy', 'envoy.extensions.filters.network.redis_proxy.v3.RedisProxy', {
        statPrefix,
        settings: { opTimeout: '5s' },
        latencyInMicros: true,
        prefixRoutes: { catchAllRoute: { cluster } },
      }),
    ],
  },
};

/** The filters that end a TCP chain. Not every Envoy is built with those for MySQL. */
export function terminalFilters(read: MeshRead, protocol: Protocol, terminal: Terminal): readonly NetworkFilter[] {
  const special = BY_PROTOCOL[protocol];
  if (!special?.isOn(features(read))) return [terminal.tcp];
  const filters = special.filters(terminal);
  return filters.every(({ name }) => name === terminal.tcp.name || read.fact(hasExtension, name))
    ? filters
    : [terminal.tcp];
}
