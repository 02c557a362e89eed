import { writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { NotBuiltError } from '@kedge/cli';
import { AggregateSource, type ConfigSource, FileSource, MemorySource } from '@kedge/config';
import { DisposableStore } from '@kedge/incremental';
import { kubeAccess, openKubeClient } from '@kedge/kube';
import { type Diagnostic, type Features, formatFinding, parseFeatures, validateConfig } from '@kedge/model';
import { checkEnvoyMessage } from '@kedge/networking';
import {
  buildInfo,
  createMetricRegistry,
  type HostPort,
  HttpServer,
  type Logging,
  type MetricRegistry,
  monitoringRoutes,
  readyRoutes,
  recordBuild,
} from '@kedge/observability';
import type { MeshSettings } from '@kedge/pushcontext';
import { standardTranslations } from '@kedge/gateway-api';
import { AddressAllocator, standardRegistries } from '@kedge/registry';
import {
  certificateServiceName,
  type ClusterSecurity,
  clusterSecurity,
  mountedServingPaths,
  parseSecuritySettings,
  type SecuritySettings,
  type ServingPaths,
} from '@kedge/security';
import { ControlPlane } from './control-plane.ts';
import { debugRoutes } from './debug/debug-endpoints.ts';
import { registerDebugGenerators } from './debug/debug-generators.ts';
import { servicesView } from './debug/registry-view.ts';
import { Findings } from './findings.ts';
import { GatewayHosts } from './hosts/gateway-hosts.ts';
import { systemLookup } from './hosts/lookup.ts';
import { MeshFiles } from './mesh-files.ts';
import { MeshAuthority, serverNames } from './identity/mesh-authority.ts';
import { PodsByNode } from './identity/pods-by-node.ts';
import { openKeySets } from './key-sets/open-key-sets.ts';
import { type DiscoveryMetrics, registerMetrics } from './metrics.ts';
import { openRegistration } from './registration/open-registration.ts';
import { type MeshGenerators, meshGenerators } from './xds/mesh-generators.ts';
import { observeLog } from './xds/observe-log.ts';
import { observeMetrics, recordRefusals } from './xds/observe-metrics.ts';
import { observeRefusals } from './xds/observe-refusals.ts';
import { PushHistory } from './xds/push-history.ts';
import { SentLog } from './xds/sent-log.ts';

/** How long serving waits for the name servers, in milliseconds. */
const FIRST_ANSWERS_MS = 2_000;

export interface DiscoveryFlags {
  readonly configDir?: string;
  readonly meshConfig: string;
  readonly networksConfig: string;
  readonly domain: string;
  readonly clusterID?: string;
  readonly namespace?: string;
  readonly grpcAddr: HostPort;
  /** Absent: nothing is served over TLS. */
  readonly secureGRPCAddr?: HostPort;
  readonly allocateAddresses?: boolean;
  /** Where a self-signed certificate authority is kept; absent, the cluster has it, or it ends with the process. */
  readonly caStorageDir?: string;
  /** How to reach Kubernetes; a pod of a cluster reaches its own. */
  readonly kubeconfig?: string;
  /** The certificate of the TLS server, where others issued it: all three are given, or none counts. */
  readonly tlsCertFile?: string;
  readonly tlsKeyFile?: string;
  readonly caCertFile?: string;
  readonly httpAddr: HostPort;
  readonly monitoringAddr: HostPort;
  readonly keepaliveInterval?: number;
  readonly keepaliveTimeout?: number;
  readonly shutdownDuration: number;
  readonly portsFile?: string;
}

export interface DiscoveryOptions {
  readonly flags: DiscoveryFlags;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logging: Logging;
  /** Those of the mesh where absent; more can be registered beside them. */
  readonly generators?: MeshGenerators;
  /** Aborted when the server is to end. */
  readonly stop: AbortSignal;
}

/** Runs the server until it is told to stop. Rejects where it can't start. */
export async function runDiscovery(options: DiscoveryOptions): Promise<void> {
  const { flags, environment, logging, generators = meshGenerators(), stop } = options;
  const log = logging.scope('default');
  if (!flags.configDir) {
    throw new Error(
      'reading configuration from Kubernetes is not built yet: give a folder of manifests by --configDir',
    );
  }
  const features = featuresOf(flags, environment, (problem) => log.warn(problem));
  await using owned = new AsyncDisposableStack();
  const watched = owned.use(new DisposableStore());
  const files = watched.add(new MeshFiles(flags.meshConfig, flags.networksConfig));
  const entries = new MemorySource();
  const manifests = new FileSource({
    folder: flags.configDir,
    validate: (config, where) => validateConfig(config, { where, checkEnvoyMessage }),
    ...(features.revision ? { revision: features.revision } : {}),
  });
  const source = watched.add(new AggregateSource([manifests, entries]));
  const registry = createMetricRegistry();
  registry.addProcessMetrics();
  recordBuild(registry, 'pilot', buildInfo);
  const metrics = registerMetrics(registry);
  const { settings: security, problems } = parseSecuritySettings(environment);
  for (const problem of problems) log.warn(problem);
  const meshAuthority = await openMeshAuthority(options, {
    security,
    features,
    files,
    registry,
    pods: watched.add(new PodsByNode(source)),
  });
  if (meshAuthority) watched.add(meshAuthority);
  const identify = meshAuthority?.identify;
  const keySets = watched.add(
    openKeySets({ source, features, settings: security, metrics, log: logging.scope('model') }),
  );
  const registration = openRegistration({ source, entries, features, metrics, log: logging.scope('wle') });
  if (registration) watched.add(registration);
  // Proxies that have tokens refused for want of keys refuse good ones too.
  await Promise.race([keySets.allTried(), aborted(stop)]);
  const plane = owned.use(
    new ControlPlane({
      settings: { ...settingsOf(flags, features, files), ...(meshAuthority && { trustedRoots: meshAuthority.roots }) },
      source,
      generators,
      identify,
      allocator: flags.allocateAddresses ? allocatorOf(features) : undefined,
      keySets,
      registration,
    }),
  );
  meshAuthority?.onRoots((trustedRoots) => plane.configure({ trustedRoots }, 'global'));
  const history = new PushHistory(() => plane.server.snapshot.memo.recomputations.take());
  watched.add(plane.observe(observeMetrics(metrics)));
  const adsLog = logging.scope('ads');
  watched.add(plane.observe(observeLog(adsLog, watched.add(new SentLog(adsLog)))));
  watched.add(plane.observeRefusals(observeRefusals(adsLog, () => plane.server.snapshot)));
  watched.add(plane.observe((event) => history.observe(event)));
  const report = (finding: Diagnostic): void => {
    log[levelOf(finding)](formatFinding(finding));
    if (finding.severity === 'error') metrics.pilot_total_rejected_configs.increment({ type: finding.kind });
  };
  const findings = watched.add(new Findings({ sources: [source, files], plane, report }));
  watched.add(registry.onScrape(() => recordState(metrics, plane)));
  watched.add(files.subscribe((settings, reason) => plane.configure(settings, reason)));
  const gatewayHosts = watched.add(new GatewayHosts({ plane, lookup: systemLookup(), log: logging.scope('model') }));

  const debug = debugRoutes({ plane, history, findings });
  registerDebugGenerators(generators, plane, debug);
  const http = owned.use(new HttpServer(new Map([...readyRoutes(stop), ...debug]), log));
  const monitoring = owned.use(new HttpServer(new Map([...monitoringRoutes(registry), ...debug]), log));
  // The first proxies are to see what is known a moment later, but not to wait for servers that don't answer.
  await Promise.race([gatewayHosts.settled(), delay(FIRST_ANSWERS_MS, undefined, { ref: false }), aborted(stop)]);
  const grpc = await plane.grpc.listen(flags.grpcAddr);
  const secureGrpc = await listenSecurely(plane, flags, meshAuthority);
  const ports = {
    grpc: grpc.port,
    ...(secureGrpc === undefined ? {} : { secureGrpc }),
    http: await http.listen(flags.httpAddr),
    monitoring: await monitoring.listen(flags.monitoringAddr),
  };
  log.info('serving', ports);
  if (flags.portsFile) await writeFile(flags.portsFile, `${JSON.stringify(ports)}\n`);
  await aborted(stop);
  log.info('ending');
  await plane.grpc.shutdown(flags.shutdownDuration);
}

function allocatorOf({ ipAutoallocateIpv4Prefix, ipAutoallocateIpv6Prefix }: Features): AddressAllocator {
  return new AddressAllocator({ ipv4: ipAutoallocateIpv4Prefix, ipv6: ipAutoallocateIpv6Prefix });
}

interface AuthoritySubject {
  readonly security: SecuritySettings;
  readonly features: Features;
  readonly files: MeshFiles;
  readonly registry: MetricRegistry;
  readonly pods: PodsByNode;
}

/** The authority of the mesh, unless nothing is served over TLS. */
async function openMeshAuthority(
  { flags, environment, logging }: DiscoveryOptions,
  { security, features, files, registry, pods }: AuthoritySubject,
): Promise<MeshAuthority | undefined> {
  if (!flags.secureGRPCAddr) return undefined;
  if (security.externalCa !== '')
    throw new NotBuiltError(`EXTERNAL_CA=${security.externalCa} is not built yet in this version`);
  const log = logging.scope('serverca', 'certificate authority');
  const custom = (environment['ISTIOD_CUSTOM_HOST'] ?? '').split(',').filter(Boolean);
  // Without Kubernetes there is no DNS for its services' names.
  const names = serverNames(features.podNamespace, features.revision, [...custom, 'localhost', '127.0.0.1', '::1']);
  return MeshAuthority.open({
    settings: security,
    names,
    servingPaths: servingPaths(flags) ?? mountedServingPaths(),
    cluster: await openCluster({ flags, environment, features, settings: security }),
    registry,
    log,
    podsOf: (clusterId) => (clusterId === '' || clusterId === features.clusterId ? pods : undefined),
    trustDomains: () => ({ own: files.settings.mesh.trustDomain, aliases: files.settings.mesh.trustDomainAliases }),
    ...(flags.caStorageDir ? { storageFolder: flags.caStorageDir } : {}),
  });
}

function servingPaths({ tlsCertFile, tlsKeyFile, caCertFile }: DiscoveryFlags): ServingPaths | undefined {
  if (!tlsCertFile || !tlsKeyFile || !caCertFile) return undefined;
  return { certificate: tlsCertFile, key: tlsKeyFile, roots: caCertFile };
}

/** The cluster that keeps the authority, where this runs in one or is told of one. */
async function openCluster({
  flags,
  environment,
  features: { podNamespace: namespace, clusterId },
  settings,
}: Pick<DiscoveryOptions, 'flags' | 'environment'> & {
  readonly features: Features;
  readonly settings: SecuritySettings;
}): Promise<ClusterSecurity | undefined> {
  const access = kubeAccess(flags.kubeconfig, environment);
  if (!access) return undefined;
  return clusterSecurity({ client: await openKubeClient(access), namespace, clusterId, settings });
}

async function listenSecurely(
  plane: ControlPlane,
  { secureGRPCAddr }: DiscoveryFlags,
  meshAuthority: MeshAuthority | undefined,
): Promise<number | undefined> {
  if (!meshAuthority || !secureGRPCAddr) return undefined;
  if (meshAuthority.service) {
    plane.grpc.addService(certificateServiceName, meshAuthority.service);
    plane.health.set(certificateServiceName, 'SERVING');
  }
  const listener = await plane.grpc.listen({ ...secureGRPCAddr, tls: meshAuthority.tls });
  meshAuthority.keepFresh(listener);
  return listener.port;
}

function featuresOf(
  flags: DiscoveryFlags,
  environment: Readonly<Record<string, string | undefined>>,
  report: (problem: string) => void,
): Features {
  const { features, problems } = parseFeatures(environment);
  problems.forEach(report);
  return {
    ...features,
    clusterId: flags.clusterID ?? features.clusterId,
    podNamespace: flags.namespace ?? features.podNamespace,
    keepaliveInterval: flags.keepaliveInterval ?? features.keepaliveInterval,
    keepaliveTimeout: flags.keepaliveTimeout ?? features.keepaliveTimeout,
  };
}

function settingsOf(flags: DiscoveryFlags, features: Features, files: MeshFiles): MeshSettings {
  return {
    ...files.settings,
    features,
    environment: { domainSuffix: flags.domain, systemNamespace: features.podNamespace },
    registries: standardRegistries(features.clusterId),
    translations: standardTranslations,
  };
}

function recordState(metrics: DiscoveryMetrics, plane: ControlPlane): void {
  metrics.pilot_info.set(1, { version: buildInfo.version });
  metrics.istiod_uptime_seconds.set(process.uptime());
  metrics.pilot_services.set(servicesView(plane.server.snapshot).length);
  recordRefusals(metrics, plane.refusals);
  metrics.pilot_virt_services.set(countKind(plane.source, 'VirtualService'));
}

function countKind(source: ConfigSource, kind: string): number {
  return source.list().filter((object) => object.kind === kind).length;
}

const levelOf = ({ severity }: Diagnostic): 'error' | 'warn' => (severity === 'error' ? 'error' : 'warn');

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
