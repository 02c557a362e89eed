import type { EffectiveProxyConfig } from '@kedge/model';
import type { Logging } from '@kedge/observability';
import type { AgentEnvironment } from '../environment.ts';
import type { AgentMetrics } from '../metrics.ts';
import type { Readiness } from '../status/readiness.ts';
import type { EnvoyAdmin } from './admin.ts';
import { restartPolicy } from './back-off.ts';
import { drainForTermination } from './drain.ts';
import { type Outcome, Supervisor } from './supervisor.ts';

export interface RunOptions {
  readonly environment: AgentEnvironment;
  readonly config: EffectiveProxyConfig;
  readonly args: readonly string[];
  readonly admin: EnvoyAdmin;
  /** Whether only inbound traffic is drained: the workload of a sidecar may call others until it ends itself. */
  readonly inboundOnly: boolean;
  readonly readiness: Readiness;
  readonly metrics: AgentMetrics;
  readonly logging: Logging;
  /** Aborts when Envoy shall end. */
  readonly terminate: AbortSignal;
  /** Aborts when that shall be without draining, or draining any longer. */
  readonly skipDrain: AbortSignal;
}

/** Between SIGTERM and SIGKILL for Envoy, which has been drained by then. */
const stopGraceMs = 2000;

/**
 * Runs Envoy, again where it fails, until it is told to end or ends with success; then it has been drained and is gone.
 * @throws Error if it fails too often.
 */
export async function runEnvoy(options: RunOptions): Promise<void> {
  const { environment, config, args, admin, inboundOnly, readiness, metrics, logging, terminate, skipDrain } = options;
  const log = logging.scope('default');
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
    if (!skipDrain.aborted && envoy.isRunning) {
      const gone = new AbortController();
      void envoy.outcome.then(() => gone.abort());
      await drainForTermination({
        admin,
        inboundOnly,
        terminationDrainMs: config.terminationDrainDuration,
        exitOnZeroActiveConnections: environment.exitOnZeroActiveConnections,
        minimumDrainMs: environment.minimumDrain,
        pollMs: 1000,
        ownPorts: [
          environment.statusPort,
          environment.prometheusPort,
          environment.secureMetricsPort,
          environment.secureMergedMetricsPort,
        ],
        log,
        signal: AbortSignal.any([gone.signal, skipDrain]),
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
