import { isIPv6 } from 'node:net';
import type { Logging } from '@kedge/observability';
import { type BootstrapFile, prepareBootstrap, readOverride } from '../bootstrap-file.ts';
import type { BootstrapOptions } from '../bootstrap/bootstrap.ts';
import type { ProxyFacts } from '../describe-proxy.ts';
import { type EnvoyAdmin, drainListeners } from '../envoy/admin.ts';
import { envoyArguments } from '../envoy/arguments.ts';
import { runEnvoy } from '../envoy/run-envoy.ts';
import type { AgentMetrics } from '../metrics.ts';
import { assertFree } from '../ports.ts';
import { Readiness } from '../status/readiness.ts';
import type { Companion } from './companion.ts';

export interface EnvoyCompanionOptions {
  readonly facts: ProxyFacts;
  readonly description: Omit<BootstrapOptions, 'missingExtensions'>;
  readonly metrics: AgentMetrics;
  readonly logging: Logging;
}

/** Prepares an Envoy of this proxy: its ports are free, and its bootstrap is there. */
export async function envoyCompanion(options: EnvoyCompanionOptions): Promise<Companion> {
  const { facts, description, metrics, logging } = options;
  const { environment, flags, config, ips } = facts;
  const log = logging.scope('default');
  await assertFree({
    proxyAdminPort: config.proxyAdminPort,
    ENVOY_STATUS_PORT: environment.statusPort,
    ENVOY_PROMETHEUS_PORT: environment.prometheusPort,
  });
  const admin: EnvoyAdmin = { host: ips.every(isIPv6) ? '::1' : '127.0.0.1', port: config.proxyAdminPort };
  const readiness = new Readiness(admin);
  const inboundOnly = flags.nodeType === 'sidecar';
  const template = environment.bootstrapTemplate || flags.templateFile || (config.proxyBootstrapTemplatePath ?? '');
  const file = await prepareBootstrap(config, description, template, log);
  return {
    admin,
    notReadyReason: () => readiness.notReadyReason(),
    drain: () => {
      drainListeners(admin, { inboundOnly, skipExit: true }).catch((error: unknown) => {
        log.warn("Envoy's listeners cannot be drained", { error });
      });
    },
    run: async (terminate, skipDrain) => {
      const args = await commandLine(facts, file);
      const common = { environment, config, args, admin, inboundOnly, readiness, metrics, logging };
      await runEnvoy({ ...common, terminate, skipDrain });
    },
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  };
}

async function commandLine(
  { environment, flags, config, ips }: ProxyFacts,
  file: BootstrapFile,
): Promise<readonly string[]> {
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
