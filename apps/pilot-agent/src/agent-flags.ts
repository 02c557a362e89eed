export type NodeType = 'sidecar' | 'router' | 'waypoint' | 'ztunnel' | 'agentgateway';

/** The command line of `pilot-agent proxy`; empty and 0 are unset. */
export interface AgentFlags {
  readonly nodeType: NodeType;
  readonly domain: string;
  readonly meshConfig: string;
  readonly serviceCluster: string;
  readonly proxyLogLevel: string;
  readonly proxyComponentLogLevel: string;
  readonly concurrency: number;
  readonly templateFile: string;
  readonly outlierLogPath: string;
  readonly logAsJson: boolean;
}
