import type { MeshRead } from '@kedge/config';
import { fact, query } from '@kedge/incremental';
import type { ClientTLSSettings, Endpoint, Proxy, Service, ServicePort } from '@kedge/model';
import {
  features,
  type MergedDestinationRule,
  mayTakeMtls,
  meshConfig,
  metadataText,
  namespaceMtlsMode,
  nodeType,
  workloadMtlsMode,
} from '@kedge/pushcontext';
import { endpointShards } from '@kedge/registry';
import { servesPort } from '../endpoints/service-endpoints.ts';
import { isPassthrough } from './load-balancer.ts';
import type { PortPolicy } from './traffic-policy.ts';

/** The TLS settings that a client ends up with, and whether it may use them only where the endpoint is ready for it. */
export interface ClientTls {
  readonly settings: ClientTLSSettings | undefined;
  readonly automatic: boolean;
}

const NONE: ClientTls = { settings: undefined, automatic: false };

export interface ClientTlsInput {
  readonly service: Service;
  readonly port: ServicePort;
  /** What the rule says of TLS. */
  readonly stated: ClientTLSSettings | undefined;
  /** The policy that says whether connections go where they were bound for: the rule's or the subset's, for all ports. */
  readonly policy: PortPolicy | undefined;
  /** Who may answer, where the settings don't say. */
  readonly identities: readonly string[];
  readonly sni: string;
}

/** What the rule says, filled in; without a rule, mutual TLS within the mesh wherever servers take it. */
export function clientTls(read: MeshRead, input: ClientTlsInput): ClientTls {
  const { service, stated, identities, sni } = input;
  if (!stated) {
    if (service.meshExternal || !meshConfig(read).enableAutoMtls || !takesMutualTls(read, input)) return NONE;
    const files = workloadFiles(read);
    const base = { subjectAltNames: identities, sni };
    return {
      settings: files ? { mode: 'MUTUAL', ...files, ...base } : { mode: 'ISTIO_MUTUAL', ...base },
      automatic: true,
    };
  }
  const mode = stated.mode ?? 'DISABLE';
  const asStated: ClientTls = { settings: { ...stated, mode }, automatic: false };
  if (mode === 'DISABLE' || mode === 'SIMPLE') return asStated;
  const files = workloadFiles(read);
  if (files) {
    if (features(read).preferDestinationRuleTlsForExternal && service.meshExternal) return asStated;
    const { subjectAltNames, sni: statedSni, insecureSkipVerify } = stated;
    return {
      settings: { mode: 'MUTUAL', ...files, subjectAltNames, sni: statedSni, insecureSkipVerify },
      automatic: false,
    };
  }
  if (mode !== 'ISTIO_MUTUAL') return asStated;
  const subjectAltNames = stated.subjectAltNames.length > 0 ? stated.subjectAltNames : identities;
  const { insecureSkipVerify } = stated;
  return { settings: { mode, subjectAltNames, sni: stated.sni || sni, insecureSkipVerify }, automatic: false };
}

/** Certificates that a proxy says it has in files instead of getting them from its agent. */
function workloadFiles(
  read: MeshRead,
): Pick<ClientTLSSettings, 'clientCertificate' | 'privateKey' | 'caCertificates'> | undefined {
  const certificate = read.fact(metadataText, 'tlsClientCertChain');
  if (!certificate) return undefined;
  return {
    clientCertificate: String(certificate),
    privateKey: String(read.fact(metadataText, 'tlsClientKey')),
    caCertificates: String(read.fact(metadataText, 'tlsClientRootCert')),
  };
}

/**
 * Whether servers take mutual TLS as far as clients can tell: by the policies of the namespace. Where connections go to whatever
 * address they were bound for, all endpoints must take it, for they cannot be told apart.
 */
function takesMutualTls(read: MeshRead, { service, port, policy }: ClientTlsInput): boolean {
  if (!read(mayTakeMtls, service.namespace)) return false;
  const direct = service.resolution === 'passthrough' || isPassthrough(policy?.loadBalancer);
  return !direct || read(allTakeMutualTls, service.hostname, service.namespace, port.port, port.name);
}

/** Endpoints take it if they have a proxy and, where the mesh forbids it, a policy of their own says otherwise. */
const allTakeMutualTls = query(
  'allEndpointsTakeMutualTls',
  (read: MeshRead, host: string, namespace: string, port: number, name: string): boolean => {
    const isException = read(namespaceMtlsMode, namespace) === 'DISABLE';
    const endpoints = read(endpointShards, host, namespace)
      .flatMap((shard) => shard.endpoints)
      .filter((endpoint) => servesPort(endpoint, { name, port, protocol: 'TCP' }));
    return endpoints.length > 0 && endpoints.every((endpoint) => isReady(read, endpoint, isException));
  },
);

function isReady(read: MeshRead, { tlsMode, namespace, labels, port }: Endpoint, isException: boolean): boolean {
  return tlsMode === 'istio' && (!isException || workloadMtlsMode(read, namespace, labels, port) !== 'DISABLE');
}

/**
 * Whether sidecars must do without the credential that a rule names: it would be given to every client of the host, also to
 * those that may not read it. A rule for selected workloads may name one, and everybody may read a ConfigMap.
 */
export function isCredentialWithheld(
  read: MeshRead,
  { mode, credentialName = '' }: ClientTLSSettings,
  rule: MergedDestinationRule | undefined,
): boolean {
  if (credentialName === '' || credentialName.startsWith('configmap://') || rule?.selector) return false;
  return (mode === 'SIMPLE' || mode === 'MUTUAL') && read.fact(nodeType) === 'sidecar';
}

const saysTrue = (proxy: Proxy, key: string): boolean => proxy.metadata.raw[key] === 'true';
/** Whether operators mounted a socket that serves credentials (`sds://`), or certificates of files. */
export const hasCredentialSocket = fact('hasCredentialSocket', (proxy: Proxy) => saysTrue(proxy, 'credential'));
export const hasFileSocket = fact('hasFileSocket', (proxy: Proxy) => saysTrue(proxy, 'file-credential'));
