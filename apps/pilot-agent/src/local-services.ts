import type { EffectiveProxyConfig } from '@kedge/model';
import type { Logging, MetricRegistry } from '@kedge/observability';
import { formatIdentity } from '@kedge/security';
import { parseAddress } from './bootstrap/addresses.ts';
import type { AgentEnvironment } from './environment.ts';
import { requestCertificate } from './identity/ca-client.ts';
import { type CallerCredentials, filesIn, readCredentials, rootFile } from './identity/credential-files.ts';
import { type IdentitySource, ownSocket } from './identity/identity-source.ts';
import { keyKind } from './identity/key-kind.ts';
import { writeCertificate } from './identity/output-certificates.ts';
import type { Target } from './identity/tls-client.ts';
import { WorkloadIdentity } from './identity/workload-identity.ts';
import type { AgentMetrics } from './metrics.ts';
import { SdsServer } from './sds/sds-server.ts';
import { rootSecret, workloadSecret } from './sds/secret-name.ts';
import { XdsProxy } from './xds-proxy/xds-proxy.ts';
import { xdsTransport } from './xds-transport.ts';

export interface LocalServicesOptions {
  readonly config: EffectiveProxyConfig;
  readonly environment: AgentEnvironment;
  readonly source: IdentitySource;
  readonly metrics: AgentMetrics;
  readonly registry: MetricRegistry;
  readonly logging: Logging;
}

const secretSocket = `./var/run/secrets/workload-spiffe-uds/${ownSocket}`;

/** Starts what Envoy finds at the agent's sockets: its secrets, and the control plane where that speaks TLS. */
export async function startLocalServices(options: LocalServicesOptions): Promise<AsyncDisposable> {
  const { config, source, metrics, registry, logging } = options;
  await using starting = new AsyncDisposableStack();
  const identity = source.kind === 'authority' ? starting.use(workloadIdentity(source.address, options)) : undefined;
  if (identity) starting.use(registry.onScrape(() => tellExpiry(identity, metrics)));
  if (source.kind === 'authority' || source.kind === 'files') {
    const secrets = starting.use(new SdsServer(logging.scope('sds')));
    await secrets.listen(secretSocket);
    if (source.kind === 'files') {
      const { chain, key, roots } = source.files;
      secrets.follow(workloadSecret, { kind: 'certificate', chain, key });
      secrets.follow(rootSecret, { kind: 'roots', path: roots });
    }
    identity?.subscribe(({ chain, key, roots }) => {
      secrets.set({ [workloadSecret]: { chain, key }, [rootSecret]: { roots } });
    });
  }
  const xds = xdsTransport(config);
  if (xds.kind === 'agent') {
    const target = targetOf(config.discoveryAddress, options);
    const credentials = () => xdsCredentials(options, identity);
    const proxy = starting.use(new XdsProxy({ target, credentials, metrics, log: logging.scope('xdsproxy') }));
    await proxy.listen(xds.socketPath);
  }
  return starting.move();
}

/** The name that the control plane's certificate must have. */
export function controlPlaneName({ discoveryAddress }: EffectiveProxyConfig, { istiodSan }: AgentEnvironment): string {
  return istiodSan || parseAddress('discoveryAddress', discoveryAddress).host;
}

/** ISTIOD_SAN is about the control plane, and about an authority only where that is a part of it. */
function targetOf(address: string, { config, environment }: LocalServicesOptions): Target {
  const serverName = address === config.discoveryAddress ? environment.istiodSan : '';
  return { address, serverName, clusterId: environment.clusterId };
}

function workloadIdentity(address: string, options: LocalServicesOptions): WorkloadIdentity {
  const { environment, metrics, logging } = options;
  const { outputCertificates: folder, secretGraceRatio: graceRatio, secretGraceJitter: jitter } = environment;
  const log = logging.scope('ca');
  const request = {
    target: targetOf(address, options),
    credentials: () => readCredentials(rootOf(environment.caRoot, environment), provisionedFiles(environment)),
    key: keyKind({ ...environment, rsaBits: environment.rsaKeySize }),
    pkcs8: environment.pkcs8Key,
    identity: formatIdentity({
      trustDomain: environment.trustDomain,
      namespace: environment.podNamespace,
      serviceAccount: environment.serviceAccount,
    }),
    ttl: environment.secretTtl,
  };
  const identity = new WorkloadIdentity({
    request: async () => {
      metrics.istio_agent_num_outgoing_requests.increment({ request_type: 'csr' });
      try {
        return await requestCertificate(request);
      } catch (error) {
        metrics.istio_agent_num_failed_outgoing_requests.increment({ request_type: 'csr' });
        throw error;
      }
    },
    renewal: { graceRatio, jitter },
    log,
  });
  if (folder) {
    identity.subscribe((certificate) => {
      writeCertificate(folder, certificate).catch((error: unknown) => {
        log.error(`the certificate is not written to ${folder}`, { error });
      });
    });
  }
  return identity;
}

function tellExpiry({ current }: WorkloadIdentity, metrics: AgentMetrics): void {
  const gauge = metrics.istio_agent_cert_expiry_seconds;
  if (current) gauge.set((current.expiresAt - Date.now()) / 1000, { resource_name: workloadSecret });
  else gauge.remove({ resource_name: workloadSecret });
}

/** The control plane knows the proxy by its certificate, and until it has one by its token. */
async function xdsCredentials(
  { environment, source }: LocalServicesOptions,
  identity: WorkloadIdentity | undefined,
): Promise<CallerCredentials> {
  const files = provisionedFiles(environment) ?? (source.kind === 'files' ? source.files : undefined);
  const credentials = await readCredentials(rootOf(environment.xdsRoot, environment), files);
  const own = identity?.current;
  return { ...(own && { certificate: own }), ...credentials };
}

const provisionedFiles = ({ provisionedCertificate }: AgentEnvironment) =>
  provisionedCertificate ? filesIn(provisionedCertificate) : undefined;

const rootOf = (given: string, environment: AgentEnvironment): string | undefined =>
  rootFile({
    given,
    provisioned: environment.provisionedCertificate,
    fileMounted: environment.fileMountedCertificates,
    provider: environment.controlPlaneCertificateProvider,
  });
