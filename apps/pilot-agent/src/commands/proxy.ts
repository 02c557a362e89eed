import { addLogFlags } from '@kedge/cli';
import {
  type LogFlagValues,
  createLogging,
  createMetricRegistry,
  flagsWithoutEffect,
  parseLogFlags,
} from '@kedge/observability';
import { type Command, Option } from 'commander';
import type { AgentFlags, NodeType } from '../agent-flags.ts';
import { readEnvironment } from '../environment.ts';
import { integer } from './flags.ts';

const nodeTypes: readonly NodeType[] = ['sidecar', 'router', 'waypoint', 'ztunnel', 'agentgateway'];

type ProxyFlags = Omit<AgentFlags, 'nodeType' | 'logAsJson'> & {
  readonly stsPort: number;
  readonly tokenManagerPlugin: string;
};

export function addProxyCommand(program: Command, environment: Readonly<Record<string, string | undefined>>): void {
  const command = program
    .command('proxy')
    .description('run a proxy: write the bootstrap of Envoy, start and monitor it')
    .argument('[type]', `what the proxy is: ${nodeTypes.join(', ')}`, 'sidecar')
    .addOption(
      new Option('--domain <string>', 'DNS domain of the workload').default('', 'POD_NAMESPACE.svc.cluster.local'),
    )
    .option('--meshConfig <file>', 'mesh config, of which defaultConfig counts', './etc/istio/config/mesh')
    .option('--serviceCluster <string>', 'name of the workload for tracing', 'istio-proxy')
    .option('--proxyLogLevel <levels>', "Envoy's log level, and levels of components", 'warning')
    .option('--proxyComponentLogLevel <levels>', "levels of Envoy's components; deprecated", '')
    .option('--concurrency <number>', 'worker threads; deprecated, set it in the ProxyConfig', integer, 0)
    .option('--outlierLogPath <path>', 'file for the log of outlier detection', '')
    .option('--templateFile <file>', 'template of the bootstrap', '')
    .option('--stsPort <port>', 'port of a token service (not built yet)', integer, 0)
    .option('--tokenManagerPlugin <name>', 'provider of tokens (not built yet)', '')
    .addOption(new Option('--profiling', 'profiling over HTTP (no effect)').default(true))
    // Flags of other versions of the agent shall not keep a proxy from running.
    .allowUnknownOption()
    .allowExcessArguments();
  addLogFlags(command).action((type: string, flags: ProxyFlags & LogFlagValues) => runProxy(type, flags, environment));
}

async function runProxy(
  type: string,
  flags: ProxyFlags & LogFlagValues,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  // The other commands, which probes call again and again, need nothing of it.
  const { runAgent } = await import('../agent.ts');
  const nodeType = nodeTypes.find((known) => known === type);
  if (!nodeType) throw new Error(`invalid proxy type: ${type}`);
  using logging = createLogging(parseLogFlags(flags));
  const log = logging.scope('default');
  const { environment, warnings } = readEnvironment(variables);
  const ignored = [
    ...(flags.stsPort ? ['--stsPort is not built yet; it has no effect'] : []),
    ...(flags.tokenManagerPlugin ? ['--tokenManagerPlugin is not built yet; it has no effect'] : []),
  ];
  for (const warning of [...warnings, ...ignored, ...flagsWithoutEffect(flags)]) log.warn(warning);
  const terminate = new AbortController();
  const kill = new AbortController();
  const onSignal = (signal: NodeJS.Signals) => {
    log.info(`received ${signal}${terminate.signal.aborted ? ' again: ending without draining' : ''}`);
    (terminate.signal.aborted ? kill : terminate).abort();
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  try {
    await runAgent({
      environment,
      flags: { ...flags, nodeType, logAsJson: flags['log_as_json'] === true },
      logging,
      registry: createMetricRegistry(),
      terminate: terminate.signal,
      kill: kill.signal,
    });
  } finally {
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal);
  }
}
