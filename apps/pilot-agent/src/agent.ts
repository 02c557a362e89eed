import { isIPv6 } from 'node:net';
import { NotBuiltError } from '@kedge/cli';
import type { EffectiveProxyConfig } from '@kedge/model';
import { type Logging, type MetricRegistry, buildInfo, recordBuild } from '@kedge/observability';
import { type BootstrapFile, prepareBootstrap, readOverride } from './bootstrap-file.ts';
import { type BootstrapOptions } from './bootstrap/bootstrap.ts';
import { nodeMetadata } from './bootstrap/node-metadata.ts';
import type { AgentEnvironment } from './environment.ts';
import { type EnvoyAdmin, drainListeners } from './envoy/admin.ts';
import { envoyArguments } from './envoy/arguments.ts';
import { restartPolicy } from './envoy/back-off.ts';
import { drainForTermination } from './envoy/drain.ts';
import { type Outcome, Supervisor } from './envoy/supervisor.ts';
import { identitySource } from './identity/identity-source.ts';
import { instanceIps } from './instance-ips.ts';
import { controlPlaneName, startLocalServices } from './local-services.ts';
import { type AgentMetrics, registerAgentMetrics } from './metrics.ts';
import { type PodInfo, readIfThere, readPodInfo } from './pod-info.ts';
import { assertFree } from './ports.ts';
import { effectiveProxyConfig } from './proxy-config.ts';
import { Readiness } from './status/readiness.ts';
import { StatusServer } from './status/status-server.ts';
import { assertCertificates, xdsTransport } from './xds-transport.ts';

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

export interface AgentOptions {
  readonly environment: AgentEnvironment;
  readonly flags: AgentFlags;
  readonly logging: Logging;
  readonly registry: MetricRegistry;
  /** Aborts when the agent shall end; a second abort reason is not waited for. */
  readonly terminate: AbortSignal;
  /** Aborts when it shall end at once, without draining. */
  readonly kill: AbortSignal;
}

/** Between SIGTERM and SIGKILL for Envoy, which has been drained by then. */
const stopGraceMs = 2000;

/**
 * Runs a proxy until it is told to end, or Envoy ends with success.
 * @throws Error if it cannot be started, or fails too often.
 */
export async function runAgent(options: AgentOptions): Promise<void> {
  const { environment, flags, logging, registry } = options;
  const log = logging.scope('default');
  if (environment.disableEnvoy) throw new NotBuiltError('DISABLE_ENVOY is not built yet in this version');
  const pod = await readPodInfo();
  const config = await proxyConfig(environment, flags, pod);
  const excluded = pod.annotations?.['traffic.sidecar.istio.io/excludeInterfaces']?.split(',') ?? [];
  const ips = instanceIps(environment.instanceIp, excluded);
  const bootstrapOptions = describeProxy({ environment, flags, config, pod, ips }, (warning) => log.warn(warning));
  log.info(`proxy ${bootstrapOptions.nodeId}, control plane ${config.discoveryAddress}`);
  await assertFree({
    proxyAdminPort: config.proxyAdminPort,
    ENVOY_STATUS_PORT: environment.statusPort,
    ENVOY_PROMETHEUS_PORT: environment.prometheusPort,
  });
  const source = identitySource(config, environment);
  assertCertificates(config, environment, source);
  const metrics = registerAgentMetrics(registry);
  await using _services = await startLocalServices({ config, environment, source, metrics, registry, logging });
  const template = environment.bootstrapTemplate || flags.templateFile || (config.proxyBootstrapTemplatePath ?? '');
  await using file = await prepareBootstrap(config, bootstrapOptions, template, log);
  const args = await commandLine({ environment, flags, config, ips, file });
  const admin: EnvoyAdmin = { host: ips.every(isIPv6) ? '::1' : '127.0.0.1', port: config.proxyAdminPort };
  recordBuild(registry, 'proxy', buildInfo);
  await supervise({ options, config, admin, args, metrics });
}

async function proxyConfig(
  environment: AgentEnvironment,
  flags: AgentFlags,
  pod: PodInfo,
): Promise<EffectiveProxyConfig> {
  const text = flags.meshConfig ? await readIfThere(flags.meshConfig) : undefined;
  return effectiveProxyConfig({
    ...(text !== undefined && { meshConfig: { file: flags.meshConfig, text } }),
    environment: environment.proxyConfig,
    annotations: pod.annotations ?? {},
    cpuLimit: environment.cpuLimit,
    concurrency: flags.concurrency,
    serviceCluster: flags.serviceCluster,
  });
}

interface ProxyFacts {
  readonly environment: AgentEnvironment;
  readonly flags: AgentFlags;
  readonly config: EffectiveProxyConfig;
  readonly pod: PodInfo;
  readonly ips: readonly string[];
}

function describeProxy(
  { environment, flags, config, pod, ips }: ProxyFacts,
  warn: (warning: string) => void,
): Omit<BootstrapOptions, 'missingExtensions'> {
  const xds = xdsTransport(config);
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
    pilotSan: xds.kind === 'agent' ? [controlPlaneName(config, environment)] : [],
    metadataDiscovery: environment.metadataDiscovery,
    podLabels: pod.labels,
    podAnnotations: pod.annotations,
  });
  warnings.forEach(warn);
  const domain = flags.domain || `${environment.podNamespace}.svc.cluster.local`;
  return {
    nodeId: [flags.nodeType, ips[0], `${environment.podName}.${environment.podNamespace}`, domain].join('~'),
    metadata,
    proxyConfig: config,
    xds,
    deltaXds: environment.deltaXds,
    logAsJson: flags.logAsJson,
    dualStack: environment.dualStack,
    statusProxyProtocol: environment.statusProxyProtocol,
    hostIp: environment.hostIp,
    compliancePolicy: environment.compliancePolicy,
    stripFragment: environment.stripFragment,
  };
}

async function commandLine({
  environment,
  flags,
  config,
  ips,
  file,
}: Omit<ProxyFacts, 'pod'> & { readonly file: BootstrapFile }): Promise<readonly string[]> {
  const override = environment.bootstrapOverride;
  return envoyArguments({
    configFile: file.path,
    ...(override && { configOverride: await readOverride(override, environment.hostIp) }),
    logLevel: flags.proxyLogLevel,
    componentLogLevel: flags.proxyComponentLogLevel,
    drainMs: config.drainDuration,
    instanceIps: ips,
    fileFlushIntervalMs: config.fileFlushInterval ?? 1000,
    fileFlushMinSizeKb: config.fileFlushMinSizeKb ?? 0,
    skipDeprecatedLogs: environment.skipDeprecatedLogs,
    coreDump: environment.coreDump,
    concurrency: config.concurrency ?? 0,
  });
}

interface Supervision {
  readonly options: AgentOptions;
  readonly config: EffectiveProxyConfig;
  readonly admin: EnvoyAdmin;
  readonly args: readonly string[];
  readonly metrics: AgentMetrics;
}

/** Starts status server and Envoy, waits for the end of either kind, and leaves nothing behind. */
async function supervise({ options, config, admin, args, metrics }: Supervision): Promise<void> {
  const { environment, flags, logging, registry } = options;
  const log = logging.scope('default');
  const inboundOnly = flags.nodeType === 'sidecar';
  const readiness = new Readiness(admin);
  const quit = new AbortController();
  const terminate = AbortSignal.any([options.terminate, options.kill, quit.signal]);
  let drained = false;
  let wasReady = false;
  await using status = new StatusServer({
    notReadyReason: async () => {
      if (terminate.aborted) return 'the proxy is terminating';
      const reason = await readiness.notReadyReason();
      if (reason === undefined && !wasReady) metrics.istio_agent_startup_duration_seconds.set(process.uptime());
      wasReady ||= reason === undefined;
      return reason;
    },
    ...(environment.mergeEnvoyStats && { envoy: admin }),
    metricsOnLocalhost: environment.metricsOnLocalhost,
    registry,
    metrics,
    drain: () => {
      drained = true;
      drainListeners(admin, { inboundOnly, skipExit: true }).catch((error: unknown) => {
        log.warn("Envoy's listeners cannot be drained", { error });
      });
    },
    quit: () => quit.abort(),
    log,
  });
  if (config.statusPort > 0) log.info(`status port ${await status.listen(config.statusPort)}`);
  const envoyLog = logging.scope('envoy');
  envoyLog.info(`${config.binaryPath} ${args.join(' ')}`);
  using envoy = new Supervisor({
    command: config.binaryPath,
    args,
    environment: environmentOfEnvoy(environment),
    backOff: restartPolicy,
    log: envoyLog,
    onRestart: () => {
      readiness.reset();
      metrics.istio_agent_envoy_restarts_total.increment();
    },
  });
  // Also where the agent ends by an error of its own, Envoy must not stay.
  const killEnvoy = () => envoy[Symbol.dispose]();
  process.once('exit', killEnvoy);
  try {
    const outcome = await Promise.race([envoy.outcome, aborted(terminate)]);
    if (outcome !== 'aborted') return report(outcome, (message) => log.info(message));
    const skipDrain = drained || quit.signal.aborted || options.kill.aborted || !envoy.isRunning;
    if (!skipDrain) {
      const gone = new AbortController();
      void envoy.outcome.then(() => gone.abort());
      await drainForTermination({
        admin,
        inboundOnly,
        terminationDrainMs: config.terminationDrainDuration,
        exitOnZeroActiveConnections: environment.exitOnZeroActiveConnections,
        minimumDrainMs: environment.minimumDrain,
        pollMs: 1000,
        ownPorts: [environment.statusPort, environment.prometheusPort],
        log,
        signal: AbortSignal.any([gone.signal, options.kill]),
      });
    }
    await envoy.stop(stopGraceMs);
    log.info('the agent has ended');
  } finally {
    process.off('exit', killEnvoy);
  }
}

function report(outcome: Outcome, info: (message: string) => void): void {
  if (outcome.kind === 'failed') throw new Error(outcome.reason);
  info('Envoy exited normally');
}

function environmentOfEnvoy({ all, compliancePolicy }: AgentEnvironment): AgentEnvironment['all'] {
  if (compliancePolicy !== 'fips-140-2' && compliancePolicy !== 'fips-140-3') return all;
  const suites = ['ECDSA', 'RSA'].flatMap((key) => [
    `ECDHE-${key}-AES128-GCM-SHA256`,
    `ECDHE-${key}-AES256-GCM-SHA384`,
  ]);
  return { ...all, GRPC_SSL_CIPHER_SUITES: suites.join(':') };
}

function aborted(signal: AbortSignal): Promise<'aborted'> {
  const { promise, resolve } = Promise.withResolvers<'aborted'>();
  if (signal.aborted) resolve('aborted');
  else signal.addEventListener('abort', () => resolve('aborted'), { once: true });
  return promise;
}
