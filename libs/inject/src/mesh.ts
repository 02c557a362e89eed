import type { JsonObject } from './merge.ts';

/** The parts of a MeshConfig that injection reads itself; templates see all of it. */
export interface InjectionMesh {
  readonly defaultConfig?: ProxyConfig;
  readonly enablePrometheusMerge?: boolean;
  readonly inboundTrafficPolicy?: { readonly mode?: string };
  readonly extensionProviders?: readonly {
    readonly opentelemetry?: { readonly serviceAttributeEnrichment?: string };
  }[];
  readonly [field: string]: unknown;
}

export interface ProxyConfig {
  readonly interceptionMode?: string;
  readonly holdApplicationUntilProxyStarts?: boolean;
  readonly statusPort?: number;
  readonly image?: { readonly imageType?: string };
  readonly proxyMetadata?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** Fields of a ProxyConfig that are merged one by one; others are taken whole from the later source. */
export function mergeProxyConfig(base: ProxyConfig, over: ProxyConfig): ProxyConfig {
  const metadata = { ...base.proxyMetadata, ...over.proxyMetadata };
  return { ...base, ...over, ...(Object.keys(metadata).length > 0 && { proxyMetadata: metadata }) };
}

/** What of a ProxyConfig differs from the defaults of the mesh: all that the proxy is told. */
export function changedFields(config: ProxyConfig, defaults: ProxyConfig): JsonObject {
  const changed = Object.entries(config).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(defaults[field]),
  );
  const sorted = changed.sort(([a], [b]) => placeOf(a) - placeOf(b));
  return Object.fromEntries(
    sorted.map(([field, value]) => [field, MAPS.has(field) ? sortKeys(value as object) : value]),
  ) as JsonObject;
}

/** In the order of the API. */
const FIELDS = [
  ...['configPath', 'binaryPath', 'serviceCluster', 'drainDuration', 'discoveryAddress', 'statsdUdpAddress'],
  ...['proxyAdminPort', 'controlPlaneAuthPolicy', 'customConfigFile', 'statNameLength', 'concurrency'],
  ...['proxyBootstrapTemplatePath', 'interceptionMode', 'tracing', 'envoyAccessLogService', 'envoyMetricsService'],
  ...['proxyMetadata', 'runtimeValues', 'statusPort', 'extraStatTags', 'gatewayTopology', 'terminationDrainDuration'],
  ...['meshId', 'readinessProbe', 'proxyStatsMatcher', 'holdApplicationUntilProxyStarts', 'caCertificatesPem', 'image'],
];

const placeOf = (field: string): number => (FIELDS.includes(field) ? FIELDS.indexOf(field) : FIELDS.length);

const MAPS: ReadonlySet<string> = new Set(['proxyMetadata', 'runtimeValues']);

const sortKeys = (map: object): object => Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
