import type { EffectiveProxyConfig } from '@kedge/model';
import { buildInfo } from '@kedge/observability';
import type { AgentFlags } from './agent-flags.ts';
import type { BootstrapOptions } from './bootstrap/bootstrap.ts';
import { nodeMetadata } from './bootstrap/node-metadata.ts';
import { isPlainText } from './control-plane.ts';
import type { AgentEnvironment } from './environment.ts';
import { fileSocketPath, type ForeignSockets } from './identity/foreign-sockets.ts';
import { controlPlaneName } from './identity/mesh-access.ts';
import { xdsSocket } from './local-services.ts';
import type { PodInfo } from './pod-info.ts';

export interface ProxyFacts {
  readonly environment: AgentEnvironment;
  readonly flags: AgentFlags;
  readonly config: EffectiveProxyConfig;
  readonly pod: PodInfo;
  readonly ips: readonly string[];
  readonly sockets: ForeignSockets;
}

/** The DNS domain of the proxy. */
export const domainOf = ({ environment, flags }: Pick<ProxyFacts, 'environment' | 'flags'>): string =>
  flags.domain || `${environment.podNamespace}.svc.cluster.local`;

/** What the proxy is, as its bootstrap says it. */
export function describeProxy(
  facts: ProxyFacts,
  warn: (warning: string) => void,
): Omit<BootstrapOptions, 'missingExtensions'> {
  const { environment, flags, config, pod, ips, sockets } = facts;
  const { metadata, warnings } = nodeMetadata({
    environment: environment.all,
    proxyConfig: config,
    istioVersion: buildInfo.version,
    instanceIps: ips,
    statusPort: environment.statusPort,
    prometheusPort: environment.prometheusPort,
    secureMetricsPort: environment.secureMetricsPort,
    secureMergedMetricsPort: environment.secureMergedMetricsPort,
    exitOnZeroActiveConnections: environment.exitOnZeroActiveConnections,
    skipDeprecatedLogs: environment.skipDeprecatedLogs,
    workloadIdentitySocketFile: environment.workloadIdentitySocketFile,
    outlierLogPath: flags.outlierLogPath,
    credentialSocket: sockets.credentials,
    fileSocket: sockets.workload,
    pilotSan: isPlainText(config) ? [] : [controlPlaneName(config, environment)],
    metadataDiscovery: environment.metadataDiscovery,
    podLabels: pod.labels,
    podAnnotations: pod.annotations,
  });
  warnings.forEach(warn);
  return {
    nodeId: [flags.nodeType, ips[0], `${environment.podName}.${environment.podNamespace}`, domainOf(facts)].join('~'),
    metadata,
    proxyConfig: config,
    xdsSocket: xdsSocket(facts),
    ...(sockets.workload && { fileCredentialSocket: fileSocketPath }),
    deltaXds: environment.deltaXds,
    logAsJson: flags.logAsJson,
    dualStack: environment.dualStack,
    statusProxyProtocol: environment.statusProxyProtocol,
    hostIp: environment.hostIp,
    compliancePolicy: environment.compliancePolicy,
    stripFragment: environment.stripFragment,
  };
}
