import type { Any, Bootstrap, Cluster, Listener, Messages, Node, StringMatcher } from '@kedge/envoy-api';

export interface TypedExtension {
  readonly name: string;
  readonly typedConfig: Any;
}

type StatsConfig = Messages['envoy.config.metrics.v3.StatsConfig'];

export interface AgentStatsConfig extends StatsConfig {
  readonly statsTags: readonly { readonly tagName: string; readonly regex: string }[];
  readonly statsMatcher: { readonly inclusionList: { readonly patterns: readonly StringMatcher[] } };
}

/** A bootstrap as the agent writes it: what every proxy has is there. */
export interface AgentBootstrap extends Bootstrap {
  readonly node: Node & { readonly cluster: string; readonly metadata: NonNullable<Node['metadata']> };
  readonly bootstrapExtensions: readonly TypedExtension[];
  readonly statsConfig: AgentStatsConfig;
  readonly staticResources: { readonly clusters: readonly Cluster[]; readonly listeners: readonly Listener[] };
  readonly tracing?: { readonly http: TypedExtension };
}
