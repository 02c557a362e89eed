import type { EffectiveProxyConfig } from '@kedge/model';
import { type Logging, type MetricRegistry, buildInfo, recordBuild } from '@kedge/observability';
import type { AgentFlags } from './agent-flags.ts';
import type { Companion } from './companion/companion.ts';
import { envoyCompanion } from './companion/envoy-companion.ts';
import { assertCertificates } from './control-plane.ts';
import { describeProxy, domainOf, type ProxyFacts } from './describe-proxy.ts';
import type { AgentEnvironment } from './environment.ts';
import type { WorkloadHealth } from './health/workload-health.ts';
import { findForeignSockets } from './identity/foreign-sockets.ts';
import { identitySource } from './identity/identity-source.ts';
import { instanceIps } from './instance-ips.ts';
import { type LocalServices, startLocalServices } from './local-services.ts';
import { type AgentMetrics, registerAgentMetrics } from './metrics.ts';
import { type PodInfo, readIfThere, readPodInfo } from './pod-info.ts';
import { effectiveProxyConfig } from './proxy-config.ts';
import { parseAppProbers } from './status/app-probers.ts';
import { MergedMetrics } from './status/merged-metrics.ts';
import { parseScrapeTargets } from './status/scrape-targets.ts';
import { StatusServer } from './status/status-server.ts';

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

/**
 * Runs a proxy until it is told to end, or Envoy ends with success.
 * @throws Error if it cannot be started, or fails too often.
 */
export async function runAgent(options: AgentOptions): Promise<void> {
  const { environment, flags, logging, registry } = options;
  const log = logging.scope('default');
  const pod = await readPodInfo();
  const config = await proxyConfig(environment, flags, pod);
  const excluded = pod.annotations?.['traffic.sidecar.istio.io/excludeInterfaces']?.split(',') ?? [];
  const ips = instanceIps(environment.instanceIp, excluded);
  const sockets = await findForeignSockets(environment);
  const facts = { environment, flags, config, pod, ips, sockets };
  const description = describeProxy(facts, (warning) => log.warn(warning));
  log.info(`proxy ${description.nodeId}, control plane ${config.discoveryAddress}`);
  const source = identitySource(config, environment, sockets);
  assertCertificates(config, environment, source);
  const metrics = registerAgentMetrics(registry);
  await using companion = environment.disableEnvoy
    ? await withoutEnvoy(facts, description)
    : await envoyCompanion({ facts, description, metrics, logging });
  using health = await workloadHealth(facts, companion, logging);
  await using services = await startLocalServices({
    config,
    environment,
    source,
    metrics,
    registry,
    logging,
    isSidecar: flags.nodeType === 'sidecar',
    domain: domainOf(facts),
    ...(health && { health }),
  });
  recordBuild(registry, 'proxy', buildInfo);
  await runBeside(companion, { options, facts, metrics, services });
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

/** An application that speaks xDS itself. */
async function withoutEnvoy(facts: ProxyFacts, description: ReturnType<typeof describeProxy>): Promise<Companion> {
  const { grpcCompanion } = await import('./companion/grpc-companion.ts');
  return grpcCompanion(facts, description);
}

/** The health of a workload that isn't watched by Kubernetes, where the ProxyConfig says how to tell it. */
async function workloadHealth(
  { config, ips, environment }: ProxyFacts,
  companion: Companion,
  logging: Logging,
): Promise<WorkloadHealth | undefined> {
  if (!config.readinessProbe) return undefined;
  const { readinessProbe } = await import('./health/readiness-probe.ts');
  const { timingOf, WorkloadHealth } = await import('./health/workload-health.ts');
  const proxy = async () => {
    const reason = await companion.notReadyReason();
    if (reason !== undefined) throw new Error(reason);
  };
  const workload = readinessProbe(config.readinessProbe, applicationHost({ ips, environment }));
  const timing = timingOf(config.readinessProbe);
  return new WorkloadHealth({ timing, probes: [proxy, workload], log: logging.scope('healthcheck') });
}

/** Where the application is: at the address of the pod, where the kubelet would ask for it. */
const applicationHost = ({ ips, environment }: Pick<ProxyFacts, 'ips' | 'environment'>): string =>
  environment.probeLocalhost ? 'localhost' : (ips[0] ?? 'localhost');

interface Surroundings {
  readonly options: AgentOptions;
  readonly facts: ProxyFacts;
  readonly metrics: AgentMetrics;
  readonly services: LocalServices;
}

/** Starts status server and companion, waits for the end of either kind, and leaves nothing behind. */
async function runBeside(companion: Companion, { options, facts, metrics, services }: Surroundings): Promise<void> {
  const { environment, flags, config } = facts;
  const { registry, logging } = options;
  const log = logging.scope('default');
  const quit = new AbortController();
  const drained = new AbortController();
  const terminate = AbortSignal.any([options.terminate, options.kill, quit.signal]);
  let wasReady = false;
  await using status = new StatusServer({
    notReadyReason: async () => {
      if (terminate.aborted) return 'the proxy is terminating';
      const reason = (await companion.notReadyReason()) ?? namesMissing(services);
      if (reason === undefined && !wasReady) metrics.istio_agent_startup_duration_seconds.set(process.uptime());
      wasReady ||= reason === undefined;
      return reason;
    },
    metrics: new MergedMetrics({
      registry,
      metrics,
      ...(environment.mergeEnvoyStats && companion.admin && { envoy: companion.admin }),
      // Others may reach the port of a gateway, where only Envoy's own metrics are for all.
      application: flags.nodeType === 'sidecar' ? parseScrapeTargets(environment.appMetrics, config.statusPort) : [],
      log,
    }),
    metricsOnLocalhost: environment.metricsOnLocalhost,
    probers: parseAppProbers(environment.appProbers),
    applicationHost: applicationHost(facts),
    http2Probes: environment.http2Probes,
    names: () => services.dns?.table,
    drain: () => {
      if (terminate.aborted) return;
      drained.abort();
      companion.drain();
    },
    quit: () => quit.abort(),
    log,
  });
  if (config.statusPort > 0) log.info(`status port ${await status.listen(config.statusPort)}`);
  await companion.run(terminate, AbortSignal.any([drained.signal, quit.signal, options.kill]));
}

/** Names are a part of readiness: before, the application would not find anybody. */
function namesMissing({ dns }: LocalServices): string | undefined {
  return dns && !dns.table ? 'DNS capture is on, and the names are not known yet' : undefined;
}
