import type { Labels } from './labels.ts';

/** How traffic reaches the proxy: by REDIRECT or TPROXY rules, or not at all (the proxy listens on ports of its own). */
export type InterceptionMode = 'REDIRECT' | 'TPROXY' | 'NONE';

/**
 * What a proxy says of itself in `node.metadata`. The names on the wire are in capitals (`CLUSTER_ID`); everything that is
 * not read here stays available in `raw`.
 */
export interface NodeMetadata {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly clusterId: string;
  readonly network: string;
  readonly istioVersion: string;
  readonly serviceAccount: string;
  readonly meshId: string;
  readonly workloadName: string;
  /** The WorkloadGroup by which the workload registers itself. */
  readonly autoRegisterGroup: string;
  readonly owner: string;
  readonly nodeName: string;
  readonly interceptionMode: InterceptionMode;
  readonly instanceIps: readonly string[];
  readonly requestedNetworkView: readonly string[];
  readonly generator: string;
  readonly routerMode: string;
  readonly dnsCapture: boolean;
  readonly dnsAutoAllocate: boolean;
  readonly enableHbone: boolean;
  readonly disableHboneSend: boolean;
  readonly http10: boolean;
  readonly unprivilegedPod: boolean;
  /** Undefined where the proxy doesn't say; then its node type decides. */
  readonly exitOnZeroActiveConnections: boolean;
  readonly idleTimeout: string;
  readonly httpProxyPort: string;
  readonly envoyStatusPort: number;
  readonly envoyPrometheusPort: number;
  readonly tlsServerCertChain: string;
  readonly tlsServerKey: string;
  readonly tlsServerRootCert: string;
  readonly tlsClientCertChain: string;
  readonly tlsClientKey: string;
  readonly tlsClientRootCert: string;
  readonly pilotSubjectAltNames: readonly string[];
  readonly unverifiedClusterAliases: readonly string[];
  /** `proxyConfig` of the pod, as protobuf JSON. */
  readonly proxyConfig: Readonly<Record<string, unknown>>;
  readonly raw: Readonly<Record<string, unknown>>;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

const booleanOf = (value: unknown): boolean => value === true || /^(1|t|true)$/i.test(textOf(value));

const numberOf = (value: unknown): number => Number(textOf(value)) || 0;

/** Lists come as JSON lists or as comma-separated text. */
const listOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map(textOf) : textOf(value).split(',').filter(Boolean);

const labelsOf = (value: unknown): Labels =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, v]) => [key, textOf(v)])) : {};

/** Reads node metadata leniently: a field of the wrong shape counts as absent, for proxies of every version must connect. */
export function parseNodeMetadata(raw: Readonly<Record<string, unknown>>): NodeMetadata {
  const mode = textOf(raw['INTERCEPTION_MODE']);
  return {
    name: textOf(raw['NAME']),
    namespace: textOf(raw['NAMESPACE']),
    labels: labelsOf(raw['LABELS']),
    annotations: labelsOf(raw['ANNOTATIONS']),
    clusterId: textOf(raw['CLUSTER_ID']),
    network: textOf(raw['NETWORK']),
    istioVersion: textOf(raw['ISTIO_VERSION']),
    serviceAccount: textOf(raw['SERVICE_ACCOUNT']),
    meshId: textOf(raw['MESH_ID']),
    workloadName: textOf(raw['WORKLOAD_NAME']),
    autoRegisterGroup: textOf(raw['AUTO_REGISTER_GROUP']),
    owner: textOf(raw['OWNER']),
    nodeName: textOf(raw['NODE_NAME']),
    interceptionMode: mode === 'TPROXY' || mode === 'NONE' ? mode : 'REDIRECT',
    instanceIps: listOf(raw['INSTANCE_IPS']),
    requestedNetworkView: listOf(raw['REQUESTED_NETWORK_VIEW']),
    generator: textOf(raw['GENERATOR']),
    routerMode: textOf(raw['ROUTER_MODE']),
    dnsCapture: booleanOf(raw['DNS_CAPTURE']),
    dnsAutoAllocate: booleanOf(raw['DNS_AUTO_ALLOCATE']),
    enableHbone: booleanOf(raw['ENABLE_HBONE']),
    disableHboneSend: booleanOf(raw['DISABLE_HBONE_SEND']),
    http10: textOf(raw['HTTP10']) === '1',
    unprivilegedPod: booleanOf(raw['UNPRIVILEGED_POD']),
    exitOnZeroActiveConnections: booleanOf(raw['EXIT_ON_ZERO_ACTIVE_CONNECTIONS']),
    idleTimeout: textOf(raw['IDLE_TIMEOUT']),
    httpProxyPort: textOf(raw['HTTP_PROXY_PORT']),
    envoyStatusPort: numberOf(raw['ENVOY_STATUS_PORT']),
    envoyPrometheusPort: numberOf(raw['ENVOY_PROMETHEUS_PORT']),
    tlsServerCertChain: textOf(raw['TLS_SERVER_CERT_CHAIN']),
    tlsServerKey: textOf(raw['TLS_SERVER_KEY']),
    tlsServerRootCert: textOf(raw['TLS_SERVER_ROOT_CERT']),
    tlsClientCertChain: textOf(raw['TLS_CLIENT_CERT_CHAIN']),
    tlsClientKey: textOf(raw['TLS_CLIENT_KEY']),
    tlsClientRootCert: textOf(raw['TLS_CLIENT_ROOT_CERT']),
    pilotSubjectAltNames: listOf(raw['PILOT_SAN']),
    unverifiedClusterAliases: listOf(raw['CLUSTER_ALIASES']),
    proxyConfig: isRecord(raw['PROXY_CONFIG']) ? raw['PROXY_CONFIG'] : {},
    raw,
  };
}
