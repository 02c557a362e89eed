import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { addLogFlags, hostPort, hostPortOption, stopSignal } from '@kedge/cli';
import { parseDuration } from '@kedge/model';
import { createLogging, flagsWithoutEffect, type LogFlagValues, parseLogFlags } from '@kedge/observability';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type DiscoveryFlags, type DiscoveryOptions, runDiscovery } from '../discovery.ts';
import type { MeshGenerators } from '../xds/mesh-generators.ts';

/** Flags of Istio's that are accepted here; those without effect yet are said so when they are used. */
const withoutEffect: readonly (readonly [flags: string, description: string])[] = [
  ['--clusterAliases <aliases>', 'other names of clusters'],
  ['--clusterRegistriesNamespace <namespace>', 'namespace of the secrets of remote clusters'],
  ['--cniNamespace <namespace>', 'namespace of the CNI node agent'],
  ['--ctrlz_address <address>', 'address of ControlZ'],
  ['--ctrlz_port <port>', 'port of ControlZ'],
  ['--httpsAddr <address>', 'address of the webhooks'],
  ['--keepaliveMaxServerConnectionAge <duration>', 'age at which connections are renewed'],
  ['--kubernetesApiBurst <number>', 'burst of requests to Kubernetes'],
  ['--kubernetesApiQPS <number>', 'requests a second to Kubernetes'],
  ['--profile', 'profiling over HTTP'],
  ['--registries <list>', 'registries to read'],
  ['--tls-cipher-suites <list>', 'cipher suites'],
  ['--tls-min-version <version>', 'least TLS version'],
];

type Surroundings = Pick<DiscoveryOptions, 'environment' | 'generators'>;

/** `discovery`: the server, with the generators of the mesh or with given ones. */
export function addDiscoveryCommand(
  program: Command,
  environment: Surroundings['environment'],
  generators?: MeshGenerators,
): void {
  const command = program
    .command('discovery')
    .description('serve discovery information to the proxies of the mesh')
    .option('--configDir <dir>', 'folder of manifests, watched with its subfolders')
    .option('--meshConfig <file>', 'mesh configuration, watched', './etc/istio/config/mesh')
    .option('--networksConfig <file>', 'networks of the mesh, watched', './etc/istio/config/meshNetworks')
    .option('--allocateAddresses', 'give each host of a ServiceEntry without addresses one of its own')
    .option('--domain <suffix>', 'DNS suffix of services', 'cluster.local')
    .option('--clusterID <name>', 'name of the cluster that this runs in; Kubernetes if not given')
    .option(
      '-n, --namespace <namespace>',
      'namespace that this runs in, that of mesh-wide policies; istio-system if not given',
    )
    .addOption(
      hostPortOption('--grpcAddr <address>', 'address of xDS in plain text; port 0 picks a free one', ':15010'),
    )
    .addOption(
      hostPortOption(
        '--secureGRPCAddr <address>',
        'address of xDS and of the certificate authority over TLS; empty for none',
        ':15012',
      ).argParser((text) => (text === '' ? undefined : hostPort(text))),
    )
    .option('--tlsCertFile <file>', 'certificate of the TLS server, watched, where it is not issued here')
    .option('--tlsKeyFile <file>', 'its key')
    .option('--caCertFile <file>', 'roots of clients of the TLS server; the three files are given together')
    .option('--caStorageDir <dir>', 'folder that a self-signed certificate authority is kept in')
    .option(
      '--kubeconfig <file>',
      'cluster that keeps the certificate authority and reviews tokens; a pod has its own without it',
    )
    .addOption(hostPortOption('--httpAddr <address>', 'address of readiness and debug endpoints', ':8080'))
    .addOption(hostPortOption('--monitoringAddr <address>', 'address of the metrics and debug endpoints', ':15014'))
    .option(
      '--keepaliveInterval <duration>',
      'time without traffic after which clients are asked whether they live; 30s if not given',
      milliseconds,
    )
    .option('--keepaliveTimeout <duration>', 'time in which they have to answer; 10s if not given', milliseconds)
    .addOption(
      new Option('--shutdownDuration <duration>', 'time that streams get to end')
        .argParser(milliseconds)
        .default(10_000, '10s'),
    )
    .option('--ports-file <file>', 'write the ports that are listened on, as JSON, once ready');
  for (const [flags, description] of withoutEffect) {
    command.addOption(new Option(flags, `${description} (no effect yet)`).hideHelp());
  }
  addLogFlags(command).action((flags: DiscoveryFlags & LogFlagValues) =>
    run(flags, { environment, ...(generators && { generators }) }, command),
  );
}

async function run(flags: DiscoveryFlags & LogFlagValues, surroundings: Surroundings, command: Command): Promise<void> {
  using logging = createLogging(parseLogFlags(flags));
  const log = logging.scope('default');
  for (const name of ignoredFlags(command)) log.warn(`${name} has no effect yet`);
  for (const warning of flagsWithoutEffect(flags)) log.warn(warning);
  for (const warning of absentFiles(command)) log.warn(warning);
  if (isIncomplete(flags)) log.warn('--tlsCertFile, --tlsKeyFile and --caCertFile have no effect but together');
  using stop = stopSignal(log);
  await runDiscovery({ flags, ...surroundings, logging, stop: stop.signal });
}

function isIncomplete({ tlsCertFile, tlsKeyFile, caCertFile }: DiscoveryFlags): boolean {
  const given = [tlsCertFile, tlsKeyFile, caCertFile].filter(Boolean);
  return given.length > 0 && given.length < 3;
}

function ignoredFlags(command: Command): readonly string[] {
  const names = withoutEffect.map(([flags]) => new Option(flags));
  return names
    .filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli')
    .map((option) => option.long ?? option.flags);
}

/** The files of the default paths may be absent; those that are asked for should be there. */
function absentFiles(command: Command): readonly string[] {
  return ['meshConfig', 'networksConfig'].flatMap((name) => {
    const path = String(command.getOptionValue(name));
    if (command.getOptionValueSource(name) !== 'cli' || existsSync(path)) return [];
    const followed = existsSync(dirname(path)) ? 'until there is one' : 'as there is no folder to watch for it';
    return [`--${name}: there is no file ${path}; the defaults hold ${followed}`];
  });
}

function milliseconds(text: string): number {
  const parsed = parseDuration(text);
  if (parsed === undefined) throw new InvalidArgumentError('must be a duration such as 10s');
  return parsed;
}
