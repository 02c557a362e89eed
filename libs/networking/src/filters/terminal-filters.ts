import type { Protocol } from '@kedge/model';
import type { Features } from '@kedge/model';
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

/** The filters that end a TCP chain. */
export function terminalFilters(features: Features, protocol: Protocol, terminal: Terminal): readonly NetworkFilter[] {
  const special = BY_PROTOCOL[protocol];
  return special?.isOn(features) ? special.filters(terminal) : [terminal.tcp];
}
