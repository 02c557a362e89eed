import { existsSync } from 'node:fs';
import type { EffectiveProxyConfig } from '@kedge/model';
import type { Logging } from '@kedge/observability';
import { formatIdentity } from '@kedge/security';
import { parseAddress } from '../bootstrap/addresses.ts';
import { isPlainText } from '../control-plane.ts';
import type { AgentEnvironment } from '../environment.ts';
import type { AgentMetrics } from '../metrics.ts';
import { requestCertificate } from './ca-client.ts';
import { counted } from './counted-requests.ts';
import { type CallerCredentials, filesIn, readCredentials, rootFile } from './credential-files.ts';
import type { Target } from './grpc-client.ts';
import type { IdentitySource } from './identity-source.ts';
import { keyKind } from './key-kind.ts';
import { writeCertificate } from './output-certificates.ts';
import { WorkloadIdentity } from './workload-identity.ts';

export interface MeshAccessOptions {
  readonly config: EffectiveProxyConfig;
  readonly environment: AgentEnvironment;
  readonly source: IdentitySource;
  readonly metrics: AgentMetrics;
  readonly logging: Logging;
}

/** The service of a control plane that is called through a tunnel. */
const wellKnownName = 'istiod.istio-system.svc';

/** The name that the control plane's certificate must have. */
export function controlPlaneName(config: EffectiveProxyConfig, environment: AgentEnvironment): string {
  return serverName(config, environment) || parseAddress('discoveryAddress', config.discoveryAddress).host;
}

/** Empty where it is that of the address. */
function serverName({ discoveryAddress }: EffectiveProxyConfig, { istiodSan }: AgentEnvironment): string {
  return istiodSan || (discoveryAddress.startsWith('localhost:') ? wellKnownName : '');
}

/** The control plane, as the agent calls it for xDS. */
export function controlPlaneTarget({ config, environment }: MeshAccessOptions): Target {
  return {
    address: config.discoveryAddress,
    serverName: serverName(config, environment),
    clusterId: environment.clusterId,
    plainText: isPlainText(config),
    headers: environment.xdsHeaders,
  };
}

/** The workload's certificate, from the authority at an address. */
export function workloadIdentity(address: string, options: MeshAccessOptions): WorkloadIdentity {
  const { config, environment, metrics, logging } = options;
  const { outputCertificates: folder, secretGraceRatio: graceRatio, secretGraceJitter: jitter } = environment;
  const log = logging.scope('ca');
  const request = {
    target: {
      address,
      // ISTIOD_SAN is about the control plane, and about an authority only where that is a part of it.
      serverName: address === config.discoveryAddress ? serverName(config, environment) : '',
      clusterId: environment.clusterId,
      headers: environment.caHeaders,
    },
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
    request: counted(metrics, () => requestCertificate(request)),
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

/**
 * The control plane knows the proxy by its certificate, and until it has one by its token. In plain text it is told neither,
 * for others could read them.
 */
export async function xdsCredentials(
  { config, environment, source }: MeshAccessOptions,
  identity: WorkloadIdentity | undefined,
): Promise<CallerCredentials> {
  if (isPlainText(config)) return {};
  const files = provisionedFiles(environment) ?? (source.kind === 'files' ? source.files : undefined);
  const credentials = await readCredentials(rootOf(environment.xdsRoot, environment), files);
  const own = identity?.current;
  return { ...(own && { certificate: own }), ...credentials };
}

const provisionedFiles = ({ provisionedCertificate }: AgentEnvironment) =>
  provisionedCertificate ? filesIn(provisionedCertificate) : undefined;

const rootOf = (given: string, environment: AgentEnvironment): string | undefined =>
  rootFile(
    {
      given,
      provisioned: environment.provisionedCertificate,
      fileMounted: environment.fileMountedCertificates,
      provider: environment.controlPlaneCertificateProvider,
    },
    existsSync,
  );
