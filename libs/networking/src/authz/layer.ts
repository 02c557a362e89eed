import { filter, type NetworkFilter } from '../filters/network-filter.ts';
import type { Messages, RBAC } from '@kedge/envoy-api';

/** What is authorized: requests, or connections. */
export type Layer = 'http' | 'tcp';

/** A filter for either layer: they look alike. */
export type PolicyFilter = NetworkFilter;

type HttpExtAuthz = Messages['envoy.extensions.filters.http.ext_authz.v3.ExtAuthz'];
type TcpExtAuthz = Messages['envoy.extensions.filters.network.ext_authz.v3.ExtAuthz'];

export const RBAC_FILTERS: Readonly<Record<Layer, string>> = {
  http: 'envoy.filters.http.rbac',
  tcp: 'envoy.filters.network.rbac',
};

/** Begins the names of statistics of filters for connections. */
export const TCP_STATS = 'tcp.';

interface RbacSettings {
  readonly rules?: RBAC;
  readonly shadowRules?: RBAC;
  readonly shadowRulesStatPrefix?: string;
}

export function rbacFilter(layer: Layer, settings: RbacSettings): PolicyFilter {
  return layer === 'http'
    ? filter(RBAC_FILTERS.http, 'envoy.extensions.filters.http.rbac.v3.RBAC', settings)
    : filter(RBAC_FILTERS.tcp, 'envoy.extensions.filters.network.rbac.v3.RBAC', { ...settings, statPrefix: TCP_STATS });
}

export function httpExtAuthzFilter(settings: HttpExtAuthz): PolicyFilter {
  return filter('envoy.filters.http.ext_authz', 'envoy.extensions.filters.http.ext_authz.v3.ExtAuthz', settings);
}

export function tcpExtAuthzFilter(settings: TcpExtAuthz): PolicyFilter {
  return filter('envoy.filters.network.ext_authz', 'envoy.extensions.filters.network.ext_authz.v3.ExtAuthz', settings);
}
