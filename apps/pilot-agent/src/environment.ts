import { parseDuration } from '@kedge/model';

/** A variable of the environment: its name, its default, and how its text is read (`undefined`: not readable). */
interface Variable<T> {
  readonly name: string;
  readonly fallback: T;
  readonly read: (text: string) => T | undefined;
}

const text = (name: string, fallback = ''): Variable<string> => ({ name, fallback, read: (value) => value });
const integer = (name: string, fallback: number): Variable<number> => ({
  name,
  fallback,
  read: (value) => (/^[+-]?\d+$/.test(value) ? Number(value) : undefined),
});
const readBool = (value: string): boolean | undefined =>
  /^(1|t|true)$/i.test(value) ? true : /^(0|f|false)$/i.test(value) ? false : undefined;
const bool = (name: string, fallback: boolean): Variable<boolean> => ({ name, fallback, read: readBool });
/** Milliseconds. */
const duration = (name: string, fallback: number): Variable<number> => ({ name, fallback, read: parseDuration });
/** From 0 to 1. */
const ratio = (name: string, fallback: number): Variable<number> => ({
  name,
  fallback,
  read: (value) => (/^(0|1|0?\.\d+|1\.0*)$/.test(value) ? Number(value) : undefined),
});
/** Undefined where it isn't set. */
const optional = <T>({ name, read }: Variable<T>): Variable<T | undefined> => ({ name, fallback: undefined, read });

/** What the agent reads of its environment; names and defaults are Istio's. */
const variables = {
  instanceIp: text('INSTANCE_IP'),
  hostIp: text('HOST_IP'),
  podName: text('POD_NAME'),
  podNamespace: text('POD_NAMESPACE'),
  proxyConfig: text('PROXY_CONFIG'),
  cpuLimit: integer('ISTIO_CPU_LIMIT', 0),
  statusPort: integer('ENVOY_STATUS_PORT', 15021),
  prometheusPort: integer('ENVOY_PROMETHEUS_PORT', 15090),
  secureMetricsPort: integer('ENVOY_SECURE_METRICS_PORT', 0),
  secureMergedMetricsPort: integer('ENVOY_SECURE_MERGED_METRICS_PORT', 0),
  statusProxyProtocol: bool('ENVOY_STATUS_PORT_ENABLE_PROXY_PROTOCOL', false),
  minimumDrain: duration('MINIMUM_DRAIN_DURATION', 5000),
  exitOnZeroActiveConnections: bool('EXIT_ON_ZERO_ACTIVE_CONNECTIONS', false),
  skipDeprecatedLogs: bool('ENVOY_SKIP_DEPRECATED_LOGS', true),
  coreDump: bool('ISTIO_ENVOY_ENABLE_CORE_DUMP', false),
  workloadIdentitySocketFile: text('WORKLOAD_IDENTITY_SOCKET_FILE', 'socket'),
  metadataDiscovery: optional(bool('PEER_METADATA_DISCOVERY', false)),
  serviceAccount: text('SERVICE_ACCOUNT', 'default'),
  trustDomain: text('TRUST_DOMAIN', 'cluster.local'),
  clusterId: text('ISTIO_META_CLUSTER_ID', 'Kubernetes'),
  caAddress: text('CA_ADDR'),
  caProvider: text('CA_PROVIDER', 'Citadel'),
  caRoot: text('CA_ROOT_CA'),
  xdsRoot: text('XDS_ROOT_CA'),
  istiodSan: text('ISTIOD_SAN'),
  provisionedCertificate: text('PROV_CERT'),
  outputCertificates: text('OUTPUT_CERTS'),
  fileMountedCertificates: bool('FILE_MOUNTED_CERTS', false),
  controlPlaneCertificateProvider: text('PILOT_CERT_PROVIDER', 'istiod'),
  secretTtl: duration('SECRET_TTL', 24 * 3_600_000),
  secretGraceRatio: ratio('SECRET_GRACE_PERIOD_RATIO', 0.5),
  secretGraceJitter: ratio('SECRET_GRACE_PERIOD_RATIO_JITTER', 0.01),
  eccSignatureAlgorithm: text('ECC_SIGNATURE_ALGORITHM'),
  eccCurve: text('ECC_CURVE', 'P256'),
  rsaKeySize: optional(integer('WORKLOAD_RSA_KEY_SIZE', 0)),
  pkcs8Key: bool('PKCS8_KEY', false),
  disableEnvoy: bool('DISABLE_ENVOY', false),
  grpcBootstrap: text('GRPC_XDS_BOOTSTRAP', './etc/istio/proxy/grpc-bootstrap.json'),
  deltaXds: bool('ISTIO_DELTA_XDS', true),
  dualStack: bool('ISTIO_DUAL_STACK', false),
  stripFragment: bool('HTTP_STRIP_FRAGMENT_FROM_PATH_UNSAFE_IF_DISABLED', true),
  compliancePolicy: text('COMPLIANCE_POLICY'),
  bootstrapTemplate: text('ISTIO_BOOTSTRAP'),
  bootstrapOverride: text('ISTIO_BOOTSTRAP_OVERRIDE'),
  mergeEnvoyStats: bool('PILOT_AGENT_MERGE_ENVOY_STATS', true),
  metricsOnLocalhost: bool('METRICS_LOCALHOST_ACCESS_ONLY', false),
  dnsCapture: bool('ISTIO_META_DNS_CAPTURE', false),
  dnsServer: bool('ISTIO_META_ENABLE_DNS_SERVER', false),
  dnsAddress: text('DNS_PROXY_ADDR', 'localhost:15053'),
  dnsForwardParallel: bool('DNS_FORWARD_PARALLEL', false),
  dnsForwardTimeout: duration('DNS_FORWARD_TIMEOUT', 5000),
  proxyConfigXds: bool('PROXY_CONFIG_XDS_AGENT', false),
  caRevocations: bool('PILOT_ENABLE_CA_CRL', true),
  credentialFetcherType: text('CREDENTIAL_FETCHER_TYPE', 'JWT'),
  http2Probes: bool('ISTIO_ENABLE_HTTP2_PROBING', true),
  probeLocalhost: bool('REWRITE_PROBE_LEGACY_LOCALHOST_DESTINATION', false),
  wasmInsecureRegistries: text('WASM_INSECURE_REGISTRIES'),
  wasmModuleExpiry: duration('WASM_MODULE_EXPIRY', 24 * 3_600_000),
  wasmPurgeInterval: duration('WASM_PURGE_INTERVAL', 3_600_000),
  wasmRequestTimeout: duration('WASM_HTTP_REQUEST_TIMEOUT', 15_000),
  wasmMaxRetries: integer('WASM_HTTP_REQUEST_MAX_RETRIES', 5),
  wasmMaxBytes: integer('ISTIO_WASM_MAX_BINARY_SIZE_BYTES', 256 * 1024 * 1024),
  wasmBlockedRanges: text('BLOCKED_CIDRS_IN_WASM_FETCH'),
  convertWasm: bool('ISTIO_AGENT_ENABLE_WASM_REMOTE_LOAD_CONVERSION', true),
  dockerConfig: text('DOCKER_CONFIG'),
  appProbers: text('ISTIO_KUBE_APP_PROBERS'),
  appMetrics: text('ISTIO_PROMETHEUS_ANNOTATIONS'),
};

type Variables = typeof variables;

type Headers = Readonly<Record<string, string>>;

/** The environment of the agent as a value, read once. Durations are in milliseconds. */
export type AgentEnvironment = {
  readonly [K in keyof Variables]: Variables[K] extends Variable<infer T> ? T : never;
} & {
  /** Metadata that goes with each call of the control plane and of the authority, by name. */
  readonly xdsHeaders: Headers;
  readonly caHeaders: Headers;
  /** All variables, of which some become node metadata. */
  readonly all: Readonly<Record<string, string | undefined>>;
};

/** Variables of Istio's agent whose purpose belongs to parts that are not built yet. */
const notInEffect = ['ENABLE_PROBE_KEEPALIVE_CONNECTIONS', 'XDS_AUTH_PROVIDER'];

/** Reads the environment; a malformed value counts as absent, with a warning. */
export function readEnvironment(all: Readonly<Record<string, string | undefined>>): {
  readonly environment: AgentEnvironment;
  readonly warnings: readonly string[];
} {
  const warnings: string[] = [];
  const values = Object.entries(variables).map(([key, variable]: [string, Variable<unknown>]) => {
    const given = all[variable.name];
    if (given === undefined || given === '') return [key, variable.fallback];
    const value = variable.read(given);
    if (value === undefined) warnings.push(`${variable.name}: "${given}" is not readable; the default is used`);
    return [key, value ?? variable.fallback];
  });
  const ignored = notInEffect.filter((name) => all[name]);
  if (ignored.length) warnings.push(`not in effect yet in this version: ${ignored.join(', ')}`);
  const headers = { xdsHeaders: headersOf(all, 'XDS_HEADER_'), caHeaders: headersOf(all, 'CA_HEADER_') };
  return { environment: { ...(Object.fromEntries(values) as AgentEnvironment), ...headers, all }, warnings };
}

function headersOf(all: Readonly<Record<string, string | undefined>>, prefix: string): Headers {
  const named = Object.entries(all).filter(([name]) => name.startsWith(prefix) && name !== prefix);
  return Object.fromEntries(named.map(([name, value = '']) => [name.slice(prefix.length).toLowerCase(), value]));
}
