import { GrpcServer, Health, healthServiceName } from '@kedge/grpc-server';
import { NotBuiltError } from '@kedge/cli';
import { kubeAccess, openKubeClient } from '@kedge/kube';
import {
  buildInfo,
  createMetricRegistry,
  type HostPort,
  HttpServer,
  type Logging,
  monitoringRoutes,
  readyRoutes,
  recordBuild,
} from '@kedge/observability';
import {
  type CertificateEvent,
  certificateMetrics,
  certificateService,
  certificateServiceName,
  type ClusterSecurity,
  clusterSecurity,
  FolderCaStore,
  type KeyAlgorithm,
  MemoryCaStore,
  NodeAuthorizer,
  openAuthority,
  parseSecuritySettings,
  type SecuritySettings,
  ServingCertificate,
  standardAuthenticators,
  type TrustDomains,
} from '@kedge/security';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';

export interface CaServerFlags {
  readonly secureGRPCAddr: HostPort;
  readonly httpAddr: HostPort;
  readonly monitoringAddr: HostPort;
  readonly grpcHostIdentities: readonly string[];
  readonly trustDomain: string;
  readonly trustDomainAliases: readonly string[];
  readonly signingCertDir?: string;
  readonly caStorageDir?: string;
  readonly selfSignedCaOrg?: string;
  readonly selfSignedCaKey: KeyAlgorithm;
  readonly selfSignedCaCertTtl?: number;
  readonly rootCert?: string;
  /** How to reach Kubernetes; a pod of a cluster reaches its own. */
  readonly kubeconfig?: string;
  /** Namespace of the Secrets that hold the authority. */
  readonly namespace: string;
  /** What callers call the cluster. */
  readonly clusterID: string;
  readonly workloadCertTtl?: number;
  readonly maxWorkloadCertTtl?: number;
  readonly shutdownDuration: number;
  readonly portsFile?: string;
}

export interface CaServerOptions {
  readonly flags: CaServerFlags;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logging: Logging;
  /** Aborted when the server is to end. */
  readonly stop: AbortSignal;
}

/** How long the server's own certificate lives. */
const SERVING_TTL = 24 * 3_600_000;

/** Signs certificates until it is told to stop. Rejects where it can't start. */
export async function runCaServer({ flags, environment, logging, stop }: CaServerOptions): Promise<void> {
  const log = logging.scope('serverca', 'certificate authority');
  const { settings, problems } = parseSecuritySettings(environment);
  for (const problem of problems) log.warn(problem);
  if (settings.externalCa !== '')
    throw new NotBuiltError(`EXTERNAL_CA=${settings.externalCa} is not built yet in this version`);
  const trustDomains: TrustDomains = { own: flags.trustDomain, aliases: flags.trustDomainAliases };

  const cluster = await openCluster(flags, environment, settings);
  await using owned = new AsyncDisposableStack();
  const { authority } = owned.use(
    await openAuthority({
      ...(await authorityOptions(flags, settings, cluster)),
      report: ({ severity, message }) => log[severity](message),
    }),
  );
  const registry = createMetricRegistry();
  registry.addProcessMetrics();
  recordBuild(registry, 'citadel', buildInfo);
  const metrics = owned.use(certificateMetrics(registry, authority));
  const { trustedNodeAccounts: trustedAccounts } = settings;
  const followed =
    cluster && trustedAccounts.length > 0 ? owned.use(cluster.followPods((problem) => log.warn(problem))) : undefined;
  const nodes = followed && new NodeAuthorizer({ trustedAccounts, podsOf: followed.podsOf });
  const health = new Health();
  const grpc = new GrpcServer().addService(healthServiceName, health.methods).addService(
    certificateServiceName,
    certificateService({
      authority,
      trustDomains: () => trustDomains,
      ...(nodes ? { nodes } : {}),
      authenticators: standardAuthenticators({
        settings,
        trustDomains: () => trustDomains,
        revocations: () => authority.material.revocations,
        ...(cluster ? { reviewerOf: cluster.reviewerOf } : {}),
      }),
      observe: (event) => {
        metrics.observe(event);
        logEvent(event, log);
      },
    }),
  );
  const serving = owned.use(
    await ServingCertificate.issue({
      authority,
      names: flags.grpcHostIdentities,
      ttl: SERVING_TTL,
      report: (problem) => log.error(`the server's certificate could not be renewed: ${problem}`),
    }),
  );
  owned.use(grpc);
  const tls = { credentials: serving.credentials, clientCertificate: 'optional' } as const;
  const listener = await grpc.listen({ ...flags.secureGRPCAddr, tls });
  owned.use(serving.subscribe((credentials) => listener.setCredentials(credentials)));
  const http = owned.use(new HttpServer(readyRoutes(stop), log));
  const monitoring = owned.use(new HttpServer(monitoringRoutes(registry), log));
  const ports = {
    secureGrpc: listener.port,
    http: await http.listen(flags.httpAddr),
    monitoring: await monitoring.listen(flags.monitoringAddr),
  };
  for (const service of ['', certificateServiceName]) health.set(service, 'SERVING');
  log.info('serving', ports);
  if (flags.portsFile) await writeFile(flags.portsFile, `${JSON.stringify(ports)}\n`);
  if (!stop.aborted) await once(stop, 'abort');
  log.info('ending');
  await grpc.shutdown(flags.shutdownDuration);
}

async function openCluster(
  { kubeconfig, namespace, clusterID: clusterId }: CaServerFlags,
  environment: CaServerOptions['environment'],
  settings: SecuritySettings,
): Promise<ClusterSecurity | undefined> {
  const access = kubeAccess(kubeconfig, environment);
  if (!access) return undefined;
  return clusterSecurity({ client: await openKubeClient(access), namespace, clusterId, settings });
}

async function authorityOptions(
  flags: CaServerFlags,
  settings: SecuritySettings,
  cluster: ClusterSecurity | undefined,
) {
  return {
    pluggedInFolder: flags.signingCertDir ?? settings.pluggedInFolder,
    mayBeGenerated: settings.selfSignedInCacerts,
    revocations: settings.revocations,
    ...cluster?.pluggedIn,
    selfSigned: {
      store: flags.caStorageDir ? new FolderCaStore(flags.caStorageDir) : (cluster?.store ?? new MemoryCaStore()),
      organization: flags.selfSignedCaOrg ?? flags.trustDomain,
      ttl: flags.selfSignedCaCertTtl ?? settings.selfSignedTtl,
      key: { algorithm: flags.selfSignedCaKey, rsaBits: settings.selfSignedRsaBits },
      ...(flags.rootCert ? { extraRoots: await readFile(flags.rootCert, 'utf8') } : {}),
    },
    rotation: { checkInterval: settings.rootCheckInterval, grace: settings.rootGrace, jitter: settings.rootJitter },
    lifetimes: {
      defaultTtl: flags.workloadCertTtl ?? settings.defaultTtl,
      maximumTtl: flags.maxWorkloadCertTtl ?? settings.maximumTtl,
    },
  };
}

function logEvent(event: CertificateEvent, log: Pick<ReturnType<Logging['scope']>, 'debug' | 'warn'>): void {
  switch (event.kind) {
    case 'received':
      return;
    case 'signed':
      return log.debug('signed', { identities: event.identities });
    case 'unauthenticated':
    case 'refused':
      return log.warn(event.problem, { client: event.address });
  }
}
