import type { Messages } from '@kedge/envoy-api';
import { EXTERNAL_SDS_CLUSTER, FILE_SDS_CLUSTER, SDS_CLUSTER } from '../clusters/cluster-name.ts';

export type SdsSecretConfig = Messages['envoy.extensions.transport_sockets.tls.v3.SdsSecretConfig'];
type ConfigSource = Messages['envoy.config.core.v3.ConfigSource'];

/** The proxy's own certificate, and the roots by which it trusts others of the mesh. */
const WORKLOAD_SECRET = 'default';
const ROOT_SECRET = 'ROOTCA';

function grpcSource(clusterName: string, authority?: string): ConfigSource {
  return {
    apiConfigSource: {
      apiType: 'GRPC',
      transportApiVersion: 'V3',
      grpcServices: [{ envoyGrpc: { clusterName, ...(authority ? { authority } : {}) } }],
      setNodeOnFirstMessageOnly: true,
    },
    resourceApiVersion: 'V3',
  };
}

const agentSource = grpcSource(SDS_CLUSTER);

/** Listeners and clusters wait for the workload's own secrets as long as it takes. */
const workloadSource: ConfigSource = { ...agentSource, initialFetchTimeout: '0s' };

export const workloadSecret: SdsSecretConfig = { name: WORKLOAD_SECRET, sdsConfig: workloadSource };
export const rootSecret: SdsSecretConfig = { name: ROOT_SECRET, sdsConfig: workloadSource };

/** Secrets that the agent makes of files; `fileSocket` says that a socket of the operator's serves them instead. */
export function fileSecret(name: string, fileSocket = false): SdsSecretConfig {
  return { name, sdsConfig: fileSocket ? grpcSource(FILE_SDS_CLUSTER) : agentSource };
}

export function keyPairFiles(certificate: string, key: string): string {
  return `file-cert:${certificate}~${key}`;
}

export function rootFile(path: string): string {
  return `file-root:${path}`;
}

/** Suffix by which the CA certificate of a credential is named. */
export const CA_SUFFIX = '-cacert';

const BUILTIN_CREDENTIAL = 'builtin://';
const EXTERNAL_CREDENTIAL = 'sds://';
/** Names a certificate that can never be valid, for references that were refused. */
const INVALID_CREDENTIAL = 'invalid://';
const QUALIFIED = ['kubernetes://', 'kubernetes-gateway://', 'configmap://'];

/**
 * Where a credential that an object names comes from: a Secret or ConfigMap served by the control plane, the workload's own
 * certificate, or a server that the operator runs (`sds://name`), reached by a socket in the pod or by a cluster.
 */
export function credentialSecret(
  credential: string,
  options: { readonly socket?: boolean; readonly provider?: { readonly cluster: string; readonly host: string } } = {},
): SdsSecretConfig {
  if (credential === BUILTIN_CREDENTIAL) return workloadSecret;
  if (credential === BUILTIN_CREDENTIAL + CA_SUFFIX) return rootSecret;
  if (!isExternalCredential(credential)) return servedSecret(credential);
  if (options.socket) return { name: credential, sdsConfig: grpcSource(EXTERNAL_SDS_CLUSTER) };
  const name = credential.slice(EXTERNAL_CREDENTIAL.length);
  if (!options.provider) return servedSecret(name);
  return { name, sdsConfig: grpcSource(options.provider.cluster, options.provider.host) };
}

function servedSecret(credential: string): SdsSecretConfig {
  return { name: servedSecretName(credential), sdsConfig: { ads: {}, resourceApiVersion: 'V3' } };
}

/** Whether a server that the operator runs has the credential. */
export const isExternalCredential = (credential: string): boolean => credential.startsWith(EXTERNAL_CREDENTIAL);

/** The name by which the control plane serves a credential. */
export function servedSecretName(credential: string): string {
  if (credential.startsWith(BUILTIN_CREDENTIAL)) return WORKLOAD_SECRET;
  if (credential.startsWith(INVALID_CREDENTIAL)) return INVALID_CREDENTIAL;
  return QUALIFIED.some((scheme) => credential.startsWith(scheme)) ? credential : `kubernetes://${credential}`;
}
