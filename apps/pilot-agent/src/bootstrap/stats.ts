import type { StringMatcher } from '@kedge/envoy-api';
import { type ProxyConfig, formatDuration, parseDuration } from '@kedge/model';
import type { AgentStatsConfig } from './messages.ts';
import type { NodeMetadata } from './node-metadata.ts';

/** Tags cut out of stat names: the first group of the regex is removed from the name, the second is the value. */
const tags: readonly (readonly [tagName: string, regex: string])[] = [
  ['cluster_name', '^cluster(\\.(.+);)'],
  ['http_conn_manager_prefix', '^http\\.(((?:[_.[:digit:]\\w]*|[_\\[\\]aAbBcCdDeEfF[:digit:]\\w\\:]*));\\.)'],
  ['thread_name', '^server(\\.(.+))\\.watchdog'],
  ['tcp_prefix', '^tcp\\.((.*?)\\.)\\w+?$'],
  ['response_code', '_rq(_(\\d{3}))$'],
  ['response_code_class', '_rq(_(\\dxx))$'],
  [
    'http_conn_manager_listener_prefix',
    '^listener(?=\\.).*?\\.http\\.(((?:[_.[:digit:]]*|[_\\[\\]aAbBcCdDeEfF[:digit:]]*))\\.)',
  ],
  ['listener_address', '^listener\\.(((?:[_.[:digit:]]*|[_\\[\\]aAbBcCdDeEfF[:digit:]]*))\\.)'],
  ['mongo_prefix', '^mongo\\.(.+?)\\.(collection|cmd|cx_|op_|delays_|decoding_)(.*?)$'],
];

/** Tags that follow those which the user adds. */
const lastTags: typeof tags = [
  ['cache', '(cache\\.(.+?)\\.)'],
  ['component', '(component\\.(.+?)\\.)'],
  ['tag', '(tag\\.(.+?);\\.)'],
  ['wasm_filter', '(wasm_filter\\.(.+?)\\.)'],
  ['authz_enforce_result', 'rbac(\\.(allowed|denied))'],
  ['authz_dry_run_action', '(\\.istio_dry_run_(allow|deny)_)'],
  ['authz_dry_run_result', '(\\.shadow_(allowed|denied))'],
];

/** What readiness and the agent itself look at; always kept. */
const requiredPrefixes = ['cluster_manager', 'listener_manager', 'server', 'cluster.xds-grpc', 'wasm'];
const requiredSuffixes = ['rbac.allowed', 'rbac.denied', 'shadow_allowed', 'shadow_denied'];
const drainSuffix = 'downstream_cx_active';
const requiredRegexes = ['vhost\\..*\\.route\\..*'];
const defaultFlushIntervalMs = 5000;

interface StatsSettings {
  readonly statsFlushInterval?: string;
  readonly statsEvictionInterval?: string;
  readonly statsConfig: AgentStatsConfig;
  readonly warnings: readonly string[];
}

/**
 * Which statistics Envoy keeps, how their names are split into tags, and how often they are flushed. Annotations of the pod
 * win over the ProxyConfig; a malformed annotation is ignored with a warning.
 */
export function statsSettings(config: ProxyConfig, metadata: NodeMetadata, metadataDiscovery: boolean): StatsSettings {
  const warnings: string[] = [];
  const annotation = (name: string): string | undefined => metadata.ANNOTATIONS?.[`sidecar.istio.io/${name}`];
  const histogramBucketSettings = histogramBuckets(annotation('statsHistogramBuckets'), warnings);
  const intervals = flushIntervals(annotation('statsFlushInterval'), annotation('statsEvictionInterval'), warnings);
  return {
    ...intervals,
    statsConfig: {
      useAllDefaultTags: false,
      statsTags: [...tags, ...extraTags(config, annotation('extraStatTags')), ...lastTags].map(([tagName, regex]) => ({
        tagName,
        regex,
      })),
      ...(histogramBucketSettings && { histogramBucketSettings }),
      statsMatcher: { inclusionList: { patterns: inclusionPatterns(config, metadata, metadataDiscovery) } },
    },
    warnings,
  };
}

function inclusionPatterns(config: ProxyConfig, metadata: NodeMetadata, metadataDiscovery: boolean): StringMatcher[] {
  const ips = metadata.INSTANCE_IPS.split(',').filter(Boolean);
  const matcher = config.proxyStatsMatcher;
  const chosen = (annotation: string, configured: readonly string[] = [], required: readonly string[]): string[] => {
    const value = metadata.ANNOTATIONS?.[`sidecar.istio.io/${annotation}`];
    return [...(value ? value.split(',') : configured), ...required].flatMap((pattern) =>
      pattern.includes('{pod_ip}') ? ips.map((ip) => pattern.replaceAll('{pod_ip}', ip)) : [pattern],
    );
  };
  const drains = metadata['EXIT_ON_ZERO_ACTIVE_CONNECTIONS'] === 'true';
  return [
    ...['reporter=', ...(metadataDiscovery ? ['workload_discovery'] : [])].map(toPrefix),
    ...chosen('statsInclusionPrefixes', matcher?.inclusionPrefixes, requiredPrefixes).map(toPrefix),
    ...chosen(
      'statsInclusionSuffixes',
      matcher?.inclusionSuffixes,
      drains ? [...requiredSuffixes, drainSuffix] : requiredSuffixes,
    ).map((suffix) => ({ suffix })),
    ...chosen('statsInclusionRegexps', matcher?.inclusionRegexps, requiredRegexes).map((regex) => ({
      safeRegex: { regex },
    })),
    ...['component', 'istio'].map(toPrefix),
  ];
}

function toPrefix(prefix: string): StringMatcher {
  return { prefix };
}

function extraTags(config: ProxyConfig, annotation = ''): (readonly [string, string])[] {
  const names = new Set([...(config.extraStatTags ?? []), ...annotation.split(',')].filter(Boolean));
  return [...names].map((name) => [name, `(${name}=\\.=(.*?);\\.;)`]);
}

function histogramBuckets(annotation: string | undefined, warnings: string[]): object[] | undefined {
  if (annotation === undefined) return undefined;
  const byPrefix = parseBuckets(annotation);
  if (!byPrefix) {
    warnings.push(`sidecar.istio.io/statsHistogramBuckets is not a map from prefix to numbers: ${annotation}`);
    return undefined;
  }
  return Object.keys(byPrefix)
    .toSorted()
    .map((prefix) => ({ match: { prefix }, buckets: byPrefix[prefix] }));
}

function parseBuckets(text: string): Record<string, readonly number[]> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isNumbers = (list: unknown) => Array.isArray(list) && list.every((item) => typeof item === 'number');
    if (typeof value !== 'object' || value === null || !Object.values(value).every(isNumbers)) return undefined;
    return value as Record<string, readonly number[]>;
  } catch {
    return undefined;
  }
}

/** The eviction interval must be a multiple of the flush interval, because Envoy evicts when it flushes. */
function flushIntervals(flush: string | undefined, eviction: string | undefined, warnings: string[]) {
  const parse = (name: string, text: string | undefined): number | undefined => {
    if (text === undefined) return undefined;
    const ms = parseDuration(text);
    if (ms === undefined) warnings.push(`sidecar.istio.io/${name} is not a duration: ${text}`);
    return ms;
  };
  const flushMs = parse('statsFlushInterval', flush);
  const evictionMs = parse('statsEvictionInterval', eviction);
  const isMultiple = evictionMs !== undefined && evictionMs % (flushMs ?? defaultFlushIntervalMs) === 0;
  if (evictionMs !== undefined && !isMultiple) {
    warnings.push('sidecar.istio.io/statsEvictionInterval is not a multiple of the flush interval; it is ignored');
  }
  return {
    ...(flushMs !== undefined && { statsFlushInterval: formatDuration(flushMs) }),
    ...(isMultiple && { statsEvictionInterval: formatDuration(Math.trunc(evictionMs / 1000) * 1000) }),
  };
}
