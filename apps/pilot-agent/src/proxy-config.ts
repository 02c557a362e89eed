import {
  type Diagnostic,
  type EffectiveProxyConfig,
  defaultProxyConfig,
  formatDiagnostic,
  formatDuration,
  formatPath,
  mergeProxyConfig,
  parseMeshConfig,
  readYaml,
} from '@kedge/model';

export interface ProxyConfigSources {
  /** The mesh config file, of which `defaultConfig` counts. */
  readonly meshConfig?: { readonly file: string; readonly text: string };
  /** Value of the variable PROXY_CONFIG. */
  readonly environment: string;
  /** Annotations of the pod. */
  readonly annotations: Readonly<Record<string, string>>;
  /** From the CPU limit of the container; sets the concurrency where nothing else does. */
  readonly cpuLimit: number;
  /** From the command line; 0 is unset. */
  readonly concurrency: number;
  readonly serviceCluster: string;
}

/**
 * The ProxyConfig in effect; later sources win field by field: defaults, mesh config, environment, annotations of the pod.
 * @throws Error naming source and field of a value that cannot be used.
 */
export function effectiveProxyConfig(sources: ProxyConfigSources): EffectiveProxyConfig {
  const { annotations, concurrency, cpuLimit } = sources;
  const mesh = sources.meshConfig && parseMeshConfig(sources.meshConfig.text, sources.meshConfig.file);
  if (mesh) failOn(mesh.diagnostics);
  const fromMesh = mesh?.mesh.defaultConfig ?? defaultProxyConfig;
  const fromEnvironment = overlay(fromMesh, 'PROXY_CONFIG', sources.environment);
  const merged = overlay(fromEnvironment, 'proxy.istio.io/config', annotations['proxy.istio.io/config'] ?? '');
  const statusPort = annotations['status.sidecar.istio.io/port'];
  const config: EffectiveProxyConfig = {
    ...merged,
    concurrency: concurrency || (merged.concurrency ?? (cpuLimit || undefined)),
    serviceCluster: merged.serviceCluster === '' ? sources.serviceCluster : merged.serviceCluster,
    discoveryAddress: annotations['sidecar.istio.io/discoveryAddress'] ?? merged.discoveryAddress,
    statusPort: statusPort === undefined ? merged.statusPort : Number(statusPort),
  };
  const error = invalid(config);
  if (error) throw new Error(`proxy config: ${error}`);
  return config;
}

function overlay(base: EffectiveProxyConfig, source: string, text: string): EffectiveProxyConfig {
  const { objects, diagnostics } = readYaml(text, source);
  failOn(diagnostics);
  const { value, findings } = mergeProxyConfig(base, objects[0]?.value);
  if (findings.length > 0) {
    throw new Error(findings.map(({ path, message }) => `${source} ${formatPath(path)}: ${message}`).join('; '));
  }
  return value;
}

function failOn(diagnostics: readonly Diagnostic[]): void {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map(formatDiagnostic).join('; '));
}

function invalid(config: EffectiveProxyConfig): string | undefined {
  const { configPath, binaryPath, discoveryAddress, drainDuration, proxyAdminPort, statusPort } = config;
  if (!configPath) return 'configPath is empty';
  if (!binaryPath) return 'binaryPath is empty';
  if (!/^([^:[\]]+|\[.+\]):\d+$/.test(discoveryAddress)) {
    return `discoveryAddress "${discoveryAddress}" is not of the form host:port`;
  }
  if (drainDuration <= 0 || drainDuration % 1000 !== 0) {
    return `drainDuration ${formatDuration(drainDuration)} is not a number of whole seconds above 0`;
  }
  if (!isPort(proxyAdminPort)) return `proxyAdminPort ${proxyAdminPort} is not a port`;
  if (statusPort !== 0 && !isPort(statusPort)) return `statusPort ${statusPort} is not a port`;
  return undefined;
}

function isPort(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= 65535;
}
