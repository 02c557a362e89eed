import type { JsonObject, JsonValue, Locality } from '@kedge/envoy-api';
import { type ProxyConfig, isJsonObject } from '@kedge/model';
import { proxyConfigMetadata } from './proxy-config-metadata.ts';

type Labels = Readonly<Record<string, string>>;

/**
 * Metadata of the node, by which the control plane knows the proxy. Keys that the agent itself reads are typed, any other
 * passes through. Booleans are the strings `true` and `false`, lists are joined by commas: the form that istiod expects.
 */
export type NodeMetadata = JsonObject & {
  readonly INSTANCE_IPS: string;
  readonly METADATA_DISCOVERY: 'true' | 'false';
  readonly ENVOY_STATUS_PORT?: number;
  readonly ENVOY_PROMETHEUS_PORT?: number;
  readonly ENVOY_SECURE_METRICS_PORT?: number;
  readonly ENVOY_SECURE_MERGED_METRICS_PORT?: number;
  readonly LABELS?: Labels;
  readonly ANNOTATIONS?: Labels;
};

export interface NodeMetadataOptions {
  /** Environment of the agent; `ISTIO_META_*` and `ISTIO_METAJSON_*` become metadata. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly proxyConfig: ProxyConfig;
  readonly istioVersion: string;
  readonly instanceIps: readonly string[];
  readonly statusPort: number;
  readonly prometheusPort: number;
  readonly secureMetricsPort: number;
  readonly secureMergedMetricsPort: number;
  readonly exitOnZeroActiveConnections: boolean;
  readonly skipDeprecatedLogs: boolean;
  readonly workloadIdentitySocketFile: string;
  readonly outlierLogPath: string;
  /** Whether another program serves secrets by the names of credentials. */
  readonly credentialSocket?: boolean;
  /** Whether the agent serves secrets in files by a socket of their own. */
  readonly fileSocket?: boolean;
  /** Subject alternative names to expect of the control plane. */
  readonly pilotSan: readonly string[];
  /** Whether to look up peers' metadata; undefined means if, and only if, HBONE is on. */
  readonly metadataDiscovery?: boolean;
  /** Labels and annotations of the pod from the downward API; undefined where there is no such file. */
  readonly podLabels?: Labels;
  readonly podAnnotations?: Labels;
}

/** Fields which are booleans for istiod; it refuses a node whose value is none. */
const booleanKeys = [
  'ENABLE_SELF_DISCOVERY',
  'DNS_CAPTURE',
  'DNS_AUTO_ALLOCATE',
  'ENABLE_HBONE',
  'DISABLE_HBONE_SEND',
  'INBOUND_LISTENER_EXACT_BALANCE',
  'OUTBOUND_LISTENER_EXACT_BALANCE',
] as const;

const booleans: Readonly<Record<string, boolean>> = Object.fromEntries([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false] as const),
]);

const metaPrefix = 'ISTIO_META_';
const metaJsonPrefix = 'ISTIO_METAJSON_';
const localityLabels = ['topology.istio.io/locality', 'istio-locality'];
/** Set by the Deployment controller, different for every ReplicaSet, of no use as a selector. */
const templateHashLabel = 'pod-template-hash';

/**
 * Builds the metadata; later sources win: proxyMetadata of the ProxyConfig, `ISTIO_META_*`, the members of the objects in
 * `ISTIO_METAJSON_*`, then what the agent knows itself.
 * @throws Error naming the variable whose value is malformed.
 */
export function nodeMetadata(options: NodeMetadataOptions): { metadata: NodeMetadata; warnings: readonly string[] } {
  const warnings: string[] = [];
  const free = freeMetadata(options, warnings);
  const labels = workloadLabels(options, warnings);
  const hbone = free['ENABLE_HBONE'] === 'true';
  const known = {
    ISTIO_VERSION: free['ISTIO_VERSION'] || options.istioVersion,
    INSTANCE_IPS: [...new Set(options.instanceIps)].join(','),
    NAME: options.environment['POD_NAME'] || free['NAME'],
    NAMESPACE: options.environment['POD_NAMESPACE'] || free['NAMESPACE'],
    SERVICE_ACCOUNT: options.environment['SERVICE_ACCOUNT'] || free['SERVICE_ACCOUNT'],
    DNS_PROXY_ADDR: options.environment['DNS_PROXY_ADDR'] || free['DNS_PROXY_ADDR'],
    ...labels,
    ANNOTATIONS: nonEmpty(options.podAnnotations),
    PROXY_CONFIG: proxyConfigMetadata(options.proxyConfig),
    PILOT_SAN: options.pilotSan.length ? options.pilotSan : undefined,
    OUTLIER_LOG_PATH: options.outlierLogPath || undefined,
    ENVOY_STATUS_PORT: options.statusPort || undefined,
    ENVOY_PROMETHEUS_PORT: options.prometheusPort || undefined,
    ENVOY_SECURE_METRICS_PORT: options.secureMetricsPort || undefined,
    ENVOY_SECURE_MERGED_METRICS_PORT: options.secureMergedMetricsPort || undefined,
    EXIT_ON_ZERO_ACTIVE_CONNECTIONS: options.exitOnZeroActiveConnections ? 'true' : undefined,
    ENVOY_SKIP_DEPRECATED_LOGS: options.skipDeprecatedLogs ? 'true' : undefined,
    METADATA_DISCOVERY: (options.metadataDiscovery ?? hbone) ? ('true' as const) : ('false' as const),
    WORKLOAD_IDENTITY_SOCKET_FILE: options.workloadIdentitySocketFile || undefined,
    credential: options.credentialSocket ? 'true' : undefined,
    'file-credential': options.fileSocket ? 'true' : undefined,
  };
  return { metadata: { ...free, ...withoutUndefined(known) } as NodeMetadata, warnings };
}

function freeMetadata(
  { environment, proxyConfig }: NodeMetadataOptions,
  warnings: string[],
): Record<string, JsonValue> {
  const free: Record<string, JsonValue> = {};
  for (const source of [proxyConfig.proxyMetadata ?? {}, environment]) {
    for (const [name, value] of Object.entries(source)) {
      if (value !== undefined && name.startsWith(metaPrefix)) free[name.slice(metaPrefix.length)] = value;
    }
  }
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith(metaJsonPrefix) || value === undefined) continue;
    const members = jsonObject(value);
    if (members) Object.assign(free, members);
    else warnings.push(`${name} is not a JSON object; it is ignored`);
  }
  for (const key of booleanKeys) {
    if (free[key] === undefined) continue;
    const flag = booleans[String(free[key])];
    if (flag === undefined) throw new Error(`${metaPrefix}${key}: "${String(free[key])}" is not a boolean`);
    if (flag) free[key] = 'true';
  }
  return free;
}

function workloadLabels(options: NodeMetadataOptions, warnings: string[]): { LABELS?: Labels; STATIC_LABELS?: Labels } {
  const json = options.environment[`${metaJsonPrefix}LABELS`];
  const fixed = stringMap(json === undefined ? undefined : jsonObject(json));
  if (json !== undefined && !fixed) warnings.push(`${metaJsonPrefix}LABELS is not a map of strings; it is ignored`);
  const { [templateHashLabel]: _, ...podLabels } = options.podLabels ?? {};
  const all = { ...fixed, ...podLabels };
  const locality = localityOf(all);
  const labels = locality ? { ...all, 'istio-locality': locality } : all;
  // Without pod labels the fixed ones are the labels of the workload, including the locality in its normal form.
  return { LABELS: nonEmpty(labels), STATIC_LABELS: nonEmpty(options.podLabels ? fixed : labels) };
}

/** The locality label as `region/zone/subzone`; label values cannot hold a slash, so dots stand for it. */
function localityOf(labels: Labels): string {
  const value = localityLabels.map((name) => labels[name]).find((label) => label !== undefined) ?? '';
  return value.includes('/') ? value : value.replaceAll('.', '/');
}

/** The locality of the node, from its labels. */
export function nodeLocality(metadata: NodeMetadata): Locality {
  const [region, zone, subZone] = localityOf(metadata.LABELS ?? {}).split('/', 3);
  return withoutUndefined({ region: region || undefined, zone: zone || undefined, subZone: subZone || undefined });
}

function jsonObject(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function stringMap(value: JsonObject | undefined): Labels | undefined {
  if (!value || !Object.values(value).every((member) => typeof member === 'string')) return undefined;
  return value as Record<string, string>;
}

function nonEmpty(labels: Labels | undefined): Labels | undefined {
  return labels && Object.keys(labels).length ? labels : undefined;
}

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}
