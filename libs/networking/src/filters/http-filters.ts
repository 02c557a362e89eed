import type { MeshRead } from '@kedge/config';
import type { JsonObject } from '@kedge/envoy-api';
import type { Hostname } from '@kedge/model';
import { features, hasExtension, proxyConfig } from '@kedge/pushcontext';
import { unknownHostsDnsCache } from '../clusters/dynamic-dns-cluster.ts';
import { dnsLookupFamily } from '../clusters/discovery-type.ts';
import type { ListenerClass } from './listener-class.ts';
import { filter, type HttpFilter, structFilter } from './network-filter.ts';
import { requestPolicies } from './policy-filters.ts';
import { statsFilters } from './stats.ts';

/** What the filters of an HTTP connection manager depend on. */
export interface HttpFilterInput {
  readonly class: ListenerClass;
  readonly grpcWeb?: boolean;
  /** A wildcard host whose names are resolved as requests ask for them. */
  readonly dynamicHost?: Hostname;
  /** Whether requests to unknown hosts go by their names. */
  readonly unknownHostsByName?: boolean;
  readonly isHttpProxy?: boolean;
}

const grpcWeb = filter('envoy.filters.http.grpc_web', 'envoy.extensions.filters.http.grpc_web.v3.GrpcWeb', {});
const grpcStats = filter('envoy.filters.http.grpc_stats', 'envoy.extensions.filters.http.grpc_stats.v3.FilterConfig', {
  emitFilterState: true,
  statsForAllMethods: false,
});
const fault = filter('envoy.filters.http.fault', 'envoy.extensions.filters.http.fault.v3.HTTPFault', {});
const cors = filter('envoy.filters.http.cors', 'envoy.extensions.filters.http.cors.v3.Cors', {});
/** Says nothing by itself: routes to services with sticky sessions fill it in. */
const statefulSession = filter(
  'envoy.filters.http.stateful_session',
  'envoy.extensions.filters.http.stateful_session.v3.StatefulSession',
  {},
);

/** Tells the upstream by ALPN that the client is a proxy of the mesh, and which HTTP it speaks. */
const alpn = filter('istio.alpn', 'istio.envoy.config.filter.http.alpn.v2alpha1.FilterConfig', {
  alpnOverride: [
    { alpnOverride: ['istio-http/1.0', 'istio', 'http/1.0'] },
    { upstreamProtocol: 'HTTP11', alpnOverride: ['istio-http/1.1', 'istio', 'http/1.1'] },
    { upstreamProtocol: 'HTTP2', alpnOverride: ['istio-h2', 'istio', 'h2'] },
  ],
});

/** All filters of a connection manager, in the order in which requests meet them. */
export function httpFilters(read: MeshRead, input: HttpFilterInput): readonly HttpFilter[] {
  const switches = features(read);
  const isInbound = input.class === 'inbound';
  return [
    ...peerMetadata(read, input),
    ...requestPolicies(read, input.class),
    ...(input.grpcWeb ? [grpcWeb] : []),
    grpcStats,
    ...(switches.alpnFilter && !isInbound && read.fact(hasExtension, 'istio.alpn') ? [alpn] : []),
    fault,
    cors,
    ...statsFilters(read, input.class, 'http'),
    ...(switches.persistentSessions && !isInbound ? [statefulSession] : []),
    ...(input.dynamicHost === undefined ? [] : [forwardProxy(dynamicHostCache(read, input.dynamicHost))]),
    ...(input.unknownHostsByName ? [forwardProxy(unknownHostsDnsCache(read))] : []),
    router(read),
  ];
}

const PEER_METADATA = 'io.istio.http.peer_metadata.Config';
const HEADERS = { istio_headers: {} };
const HEADERS_IN_MESH = { istio_headers: { skip_external_clusters: true } };
const DISCOVERY = [HEADERS, { workload_discovery: {} }];

/** The filter by which both ends of a request tell each other who they are. */
function peerMetadata(read: MeshRead, input: HttpFilterInput): readonly HttpFilter[] {
  const { metadataExchange, additionalExchangeLabels } = features(read);
  if (!metadataExchange || !read.fact(hasExtension, 'envoy.filters.http.peer_metadata')) return [];
  const labels = additionalExchangeLabels.split(',').filter(Boolean);
  const additional: JsonObject = labels.length > 0 ? { additional_labels: labels } : {};
  if (input.class === 'inbound') {
    const value = { downstream_discovery: DISCOVERY, downstream_propagation: [HEADERS], ...additional };
    return [structFilter('istio.metadata_exchange', PEER_METADATA, value)];
  }
  const inMeshOnly =
    !input.isHttpProxy && proxyConfig(read, 'proxyHeaders')?.metadataExchangeHeaders?.mode === 'IN_MESH';
  const value = {
    upstream_discovery: DISCOVERY,
    upstream_propagation: [inMeshOnly ? HEADERS_IN_MESH : HEADERS],
    ...additional,
  };
  return [structFilter('istio.metadata_exchange', PEER_METADATA, value)];
}

/** The cache that a wildcard host's cluster shares with the filters that fill it. */
export function dynamicHostCache(read: MeshRead, host: Hostname): object {
  return { name: `${host}_dfp_dns_cache`, dnsLookupFamily: dnsLookupFamily(read) };
}

function forwardProxy(dnsCacheConfig: object): HttpFilter {
  return filter(
    'envoy.filters.http.dynamic_forward_proxy',
    'envoy.extensions.filters.http.dynamic_forward_proxy.v3.FilterConfig',
    { dnsCacheConfig },
  );
}

function router(read: MeshRead): HttpFilter {
  const silent = proxyConfig(read, 'proxyHeaders')?.envoyDebugHeaders?.disabled;
  return filter('envoy.filters.http.router', 'envoy.extensions.filters.http.router.v3.Router', {
    ...(silent ? { suppressEnvoyHeaders: true } : {}),
  });
}
