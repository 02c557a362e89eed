import type { MeshRead } from '@kedge/config';
import { type Messages, packAny } from '@kedge/envoy-api';
import type { MeshConfig } from '@kedge/model';
import { features, meshConfig, meshNetworks, metadataText, proxyConfig } from '@kedge/pushcontext';
import { addressRange, compareRanges } from '../address-range.ts';
import { TYPE_URLS } from '../type-urls.ts';
import type { Requirement } from '../resource.ts';
import { accessLogs } from './access-log.ts';
import { connectionSettings, withConnectionSettings } from './connection-settings.ts';
import { type HttpFilterInput, httpFilters } from './http-filters.ts';
import { filter, type NetworkFilter } from './network-filter.ts';
import { identityHeaders } from './header-settings.ts';
import { statedIdleTimeout } from './tcp-proxy.ts';
import { tracing } from './tracing.ts';

export type HttpConnectionManager =
  Messages['envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager'];
type RouteConfiguration = Messages['envoy.config.route.v3.RouteConfiguration'];

/** Where the routes come from: fetched by name, or part of the listener. */
export type RouteSource = { readonly fetched: string } | { readonly inline: RouteConfiguration };

export interface HttpManagerInput extends HttpFilterInput {
  /** Begins the names of its statistics, without the delimiter. */
  readonly statPrefix: string;
  readonly routes: RouteSource;
  readonly useRemoteAddress?: boolean;
  /** What only some listeners have; lies over what follows from settings for all. */
  readonly settings?: HttpConnectionManager;
}

/** The filter that takes HTTP apart and hands requests to its own filters. */
export function httpManagerFilter(read: MeshRead, input: HttpManagerInput): NetworkFilter {
  return filter(
    'envoy.filters.network.http_connection_manager',
    'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
    httpConnectionManager(read, input),
  );
}

/** The route configurations that Envoy fetches for a listener. */
export function routeRequirements(names: readonly string[]): readonly Requirement[] {
  return names.length > 0 ? [{ typeUrl: TYPE_URLS.RDS, names: [...new Set(names)].sort() }] : [];
}

export function httpConnectionManager(read: MeshRead, input: HttpManagerInput): HttpConnectionManager {
  const mesh = meshConfig(read);
  const { useRemoteAddress = false, settings = {} } = input;
  const idleTimeout = statedIdleTimeout(read);
  const accessLog = accessLogs(read, input.class, 'http');
  const trace = tracing(read);
  const http1 = { ...settings.httpProtocolOptions, ...http1Options(read) };
  const base: HttpConnectionManager = {
    ...identityHeaders(read, input.class),
    ...(features(read).continueHeaders ? { proxy100Continue: true } : {}),
    ...settings,
    ...(Object.keys(http1).length > 0 ? { httpProtocolOptions: http1 } : {}),
    statPrefix: settings.statPrefix ?? `${input.statPrefix};`,
    ...normalization(mesh),
    useRemoteAddress,
    ...(useRemoteAddress ? internalAddresses(read) : {}),
    upgradeConfigs: [{ upgradeType: 'websocket' }],
    ...(idleTimeout === undefined ? {} : { commonHttpProtocolOptions: { idleTimeout } }),
    streamIdleTimeout: '0s',
  };
  return {
    ...withConnectionSettings(base, connectionSettings(read)),
    ...('fetched' in input.routes
      ? { rds: fetchedRoutes(input.routes.fetched) }
      : { routeConfig: input.routes.inline }),
    ...(accessLog.length > 0 ? { accessLog } : {}),
    ...(trace ? { tracing: trace } : {}),
    httpFilters: httpFilters(read, input),
    requestIdExtension: {
      typedConfig: packAny('envoy.extensions.request_id.uuid.v3.UuidRequestIdConfig', {
        useRequestIdForTraceSampling: true,
      }),
    },
  };
}

function http1Options(read: MeshRead): NonNullable<HttpConnectionManager['httpProtocolOptions']> {
  const preservesCase = proxyConfig(read, 'proxyHeaders')?.preserveHttp1HeaderCase;
  return {
    ...(acceptsHttp10(read) ? { acceptHttp10: true } : {}),
    ...(preservesCase
      ? {
          headerKeyFormat: {
            statefulFormatter: {
              name: 'preserve_case',
              typedConfig: packAny(
                'envoy.extensions.http.header_formatters.preserve_case.v3.PreserveCaseFormatterConfig',
                {},
              ),
            },
          },
        }
      : {}),
  };
}

/** Whether clients may speak HTTP/1.0. */
const acceptsHttp10 = (read: MeshRead): boolean => features(read).http10 || read.fact(metadataText, 'http10') === true;

const fetchedRoutes = (routeConfigName: string): HttpConnectionManager['rds'] => ({
  // Routes come on the same stream, and a listener waits for them as long as it takes.
  configSource: { ads: {}, initialFetchTimeout: '0s', resourceApiVersion: 'V3' },
  routeConfigName,
});

const NORMALIZED = { normalizePath: true, pathWithEscapedSlashesAction: 'KEEP_UNCHANGED' } as const;

/** https://istio.io/latest/docs/ops/best-practices/security/#customize-your-system-on-path-normalization */
const NORMALIZATIONS = {
  NONE: { ...NORMALIZED, normalizePath: false },
  DEFAULT: NORMALIZED,
  BASE: NORMALIZED,
  MERGE_SLASHES: { ...NORMALIZED, mergeSlashes: true },
  DECODE_AND_MERGE_SLASHES: {
    ...NORMALIZED,
    mergeSlashes: true,
    pathWithEscapedSlashesAction: 'UNESCAPE_AND_FORWARD',
  },
} as const;

const normalization = ({ pathNormalization }: MeshConfig): HttpConnectionManager =>
  NORMALIZATIONS[pathNormalization?.normalization ?? 'DEFAULT'];

/** Addresses of the mesh's networks count as internal, so that headers of clients there are trusted. */
function internalAddresses(read: MeshRead): HttpConnectionManager {
  const ranges = Object.values(meshNetworks(read)?.networks ?? {})
    .flatMap(({ endpoints }) => endpoints.map(({ fromCidr }) => addressRange(fromCidr ?? '')))
    .filter((range) => range !== undefined)
    .sort(compareRanges);
  return ranges.length > 0 ? { internalAddressConfig: { cidrRanges: ranges } } : {};
}
