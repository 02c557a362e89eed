import { addLogFlags, hostPortOption, stopSignal } from '@kedge/cli';
import { parseDuration } from '@kedge/model';
import { createLogging, flagsWithoutEffect, type LogFlagValues, parseLogFlags } from '@kedge/observability';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type CaServerFlags, runCaServer } from '../ca-server.ts';

/** `server`: the authority. What isn't a flag is told by the environment variables that pilot-discovery has for it too. */
export function addServerCommand(program: Command, environment: Readonly<Record<string, string | undefined>>): void {
  const command = program
    .command('server')
    .description('sign certificates of workloads')
    .addOption(
      hostPortOption(
        '--secureGRPCAddr <address>',
        'address of the service over TLS; port 0 picks a free one',
        ':15012',
      ),
    )
    .addOption(hostPortOption('--httpAddr <address>', 'address of readiness', ':8080'))
    .addOption(hostPortOption('--monitoringAddr <address>', 'address of the metrics', ':15014'))
    .option('--grpc-host-identities <names>', 'names of this server, separated by commas', list, [
      'istio-ca',
      'istio-ca.istio-system.svc',
    ])
    .option('--trust-domain <domain>', 'trust domain of the mesh', 'cluster.local')
    .option('--trust-domain-aliases <domains>', 'its other names, separated by commas', list, [])
    .option('--signing-cert-dir <dir>', 'folder with an authority to sign with, watched (ROOT_CA_DIR)')
    .option(
      '--ca-storage-dir <dir>',
      'folder that a self-signed authority is kept in; without it the cluster has it, or it ends with the process',
    )
    .option('--kubeconfig <file>', 'cluster that keeps the authority and reviews tokens; a pod has its own without it')
    .addOption(
      new Option('-n, --namespace <namespace>', 'namespace of the Secrets that the authority is kept in').default(
        environment['POD_NAMESPACE'] || 'istio-system',
        'POD_NAMESPACE, or else istio-system',
      ),
    )
    .addOption(
      new Option('--clusterID <name>', 'name of the cluster').default(
        environment['CLUSTER_ID'] || 'Kubernetes',
        'CLUSTER_ID, or else Kubernetes',
      ),
    )
    .option('--self-signed-ca-org <name>', 'organization of a self-signed authority; the trust domain by default')
    .addOption(
      new Option('--self-signed-ca-key <algorithm>', 'key of a new self-signed authority')
        .choices(['RSA', 'P-256', 'P-384'])
        .default('RSA'),
    )
    .option('--self-signed-ca-cert-ttl <duration>', 'life of its root (CITADEL_SELF_SIGNED_CA_CERT_TTL)', milliseconds)
    .option('--root-cert <file>', 'file with further roots to be trusted beside it')
    .option(
      '--workload-cert-ttl <duration>',
      'life of a certificate that asks for none (DEFAULT_WORKLOAD_CERT_TTL)',
      milliseconds,
    )
    .option('--max-workload-cert-ttl <duration>', 'longest life of a certificate (MAX_WORKLOAD_CERT_TTL)', milliseconds)
    .addOption(
      new Option('--shutdownDuration <duration>', 'time that calls get to end')
        .argParser(milliseconds)
        .default(10_000, '10s'),
    )
    .option('--ports-file <file>', 'write the ports that are listened on, as JSON, once ready');
  addLogFlags(command).action((flags: CaServerFlags & LogFlagValues) => run(flags, environment));
}

async function run(
  flags: CaServerFlags & LogFlagValues,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  using logging = createLogging(parseLogFlags(flags));
  const log = logging.scope('default');
  for (const warning of flagsWithoutEffect(flags)) log.warn(warning);
  using stop = stopSignal(log);
  await runCaServer({ flags, environment, logging, stop: stop.signal });
}

const list = (text: string): readonly string[] => text.split(',').filter((part) => part !== '');

function milliseconds(text: string): number {
  const parsed = parseDuration(text);
  if (parsed === undefined) throw new InvalidArgumentError('must be a duration such as 10s');
  return parsed;
}
