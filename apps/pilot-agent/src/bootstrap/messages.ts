/** A packed message in protobuf JSON. */
export interface Any {
  readonly '@type': string;
  readonly [field: string]: unknown;
}

export interface SocketAddress {
  readonly protocol?: 'TCP' | 'UDP';
  readonly address: string;
  readonly portValue: number;
}

export type Address = { readonly socketAddress: SocketAddress } | { readonly pipe: { readonly path: string } };

export interface TypedExtension {
  readonly name: string;
  readonly typedConfig: Any;
}

/** The parts of `envoy.config.cluster.v3.Cluster` that bootstrap clusters use, in protobuf JSON. */
export interface Cluster {
  readonly name: string;
  readonly altStatName: string;
  readonly type: 'STATIC' | 'STRICT_DNS' | 'EDS';
  readonly connectTimeout: string;
  readonly [field: string]: unknown;
}

/** The parts of `envoy.config.listener.v3.Listener` that bootstrap listeners use, in protobuf JSON. */
export interface Listener {
  readonly name: string;
  readonly address: Address;
  readonly filterChains: readonly object[];
  readonly [field: string]: unknown;
}

export type StringPattern =
  { readonly prefix: string } | { readonly suffix: string } | { readonly safeRegex: { readonly regex: string } };

export interface StatsConfig {
  readonly useAllDefaultTags: boolean;
  readonly statsTags: readonly { readonly tagName: string; readonly regex: string }[];
  readonly statsMatcher: { readonly inclusionList: { readonly patterns: readonly StringPattern[] } };
  readonly histogramBucketSettings?: readonly object[];
}

export interface Locality {
  readonly region?: string;
  readonly zone?: string;
  readonly subZone?: string;
}

export interface Node {
  readonly id: string;
  readonly cluster: string;
  readonly locality: Locality;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The parts of `envoy.config.bootstrap.v3.Bootstrap` that the agent writes, in protobuf JSON. */
export interface Bootstrap {
  readonly applicationLogConfig: { readonly logFormat: object };
  readonly node: Node;
  readonly layeredRuntime: { readonly layers: readonly object[] };
  readonly bootstrapExtensions: readonly TypedExtension[];
  readonly statsFlushInterval?: string;
  readonly statsEvictionInterval?: string;
  readonly statsConfig: StatsConfig;
  readonly statsSinks?: readonly TypedExtension[];
  readonly admin: { readonly address: Address; readonly [field: string]: unknown };
  readonly dynamicResources: object;
  readonly staticResources: { readonly clusters: readonly Cluster[]; readonly listeners: readonly Listener[] };
  readonly overloadManager: object;
  readonly tracing?: { readonly http: TypedExtension };
  readonly clusterManager?: object;
  readonly deferredStatOptions: { readonly enableDeferredCreationStats: boolean };
}
