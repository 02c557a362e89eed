import type { MeshRead } from '@kedge/config';
import type { Cluster } from '@kedge/envoy-api';
import type { ClientTLSSettings, Service } from '@kedge/model';
import { features, meshConfig } from '@kedge/pushcontext';
import { servicesOfKey } from '@kedge/registry';
import { serviceIdentities } from '../endpoints/service-identities.ts';
import { upstreamTlsContext } from '../tls/upstream-tls.ts';
import { clientTls, hasCredentialSocket, hasFileSocket, isCredentialWithheld } from './client-tls.ts';
import { sniClusterName } from './cluster-name.ts';
import type { DiscoveryType } from './discovery-type.ts';
import type { OutboundInput } from './outbound-input.ts';
import { byEndpoint, sameForAll, tlsSocket } from './transport-socket.ts';

/** What HTTP options of the cluster follow from its TLS: names that are taken from each request. */
export interface AutoNames {
  readonly autoSni?: boolean;
  readonly autoSanValidation?: boolean;
}

export interface UpstreamTransport {
  readonly sockets: Cluster;
  readonly http: AutoNames;
  /** The settings in effect, where TLS is used. */
  readonly tls?: ClientTLSSettings;
}

export interface TransportInput extends OutboundInput {
  readonly type: DiscoveryType | 'DYNAMIC_DNS';
  readonly http2: boolean;
}

/** Settings that cannot work. The cluster is left out then: without TLS it would send in the clear what was to be encrypted. */
export interface TransportProblem {
  readonly problem: string;
}

const PLAIN: UpstreamTransport = { sockets: {}, http: {} };

/** How a cluster connects: in plain text, by TLS, or as each endpoint takes it. */
export function upstreamTransport(read: MeshRead, input: TransportInput): UpstreamTransport | TransportProblem {
  const { name, target, service, port, rule, subset, policy, type } = input;
  // Clusters between networks pass on connections that are mutual TLS already.
  if (target.form === 'sni') return PLAIN;
  const { proxyProtocol } = policy;
  const isDynamic = type === 'DYNAMIC_DNS';
  const { settings, automatic } = clientTls(read, {
    service,
    port,
    stated: policy.tls,
    policy: subset ? subset.trafficPolicy : rule?.trafficPolicy,
    identities: identitiesOf(read, input),
    sni: isDynamic ? '' : sniClusterName(target.host, target.port, target.subset),
  });
  if (!settings || settings.mode === 'DISABLE' || isCredentialWithheld(read, settings, rule)) {
    return { sockets: sameForAll(undefined, proxyProtocol), http: {} };
  }
  const inMesh = settings.mode === 'ISTIO_MUTUAL';
  const result = upstreamTlsContext({
    settings: inMesh ? settings : withIdentities(read, input, settings),
    fallbackSni: inMesh && !isDynamic ? name : undefined,
    http2: input.http2,
    mesh: meshConfig(read),
    features: features(read),
    credentialSocket: read.fact(hasCredentialSocket),
    fileSocket: read.fact(hasFileSocket),
  });
  if ('problem' in result) return result;
  const socket = tlsSocket(result.context);
  const choosesByEndpoint = automatic && inMesh && type !== 'ORIGINAL_DST';
  return {
    sockets: choosesByEndpoint ? byEndpoint(socket, proxyProtocol) : sameForAll(socket, proxyProtocol),
    http: inMesh && !isDynamic ? {} : autoNames(settings, isDynamic),
    tls: settings,
  };
}

/** ServiceEntries of its own namespace may add to who answers for a service of Kubernetes. */
function statedIdentities(read: MeshRead, service: Service): readonly string[] {
  const { provider, hostname, namespace, subjectAltNames } = service;
  if (provider !== 'Kubernetes') return subjectAltNames;
  const entries = read(servicesOfKey, hostname, namespace).filter((other) => other !== service);
  return [...subjectAltNames, ...entries.flatMap((entry) => entry.subjectAltNames)];
}

function identitiesOf(read: MeshRead, { service }: TransportInput): readonly string[] {
  return read(serviceIdentities, service.hostname, service.namespace, statedIdentities(read, service).join('\n'));
}

/** A ServiceEntry may say who answers for its hosts; the rule's own word counts more. */
function withIdentities(read: MeshRead, input: TransportInput, settings: ClientTLSSettings): ClientTLSSettings {
  if (input.service.provider !== 'External' || settings.subjectAltNames.length > 0) return settings;
  return { ...settings, subjectAltNames: identitiesOf(read, input) };
}

/** The name is taken from the request where nobody states one, and the certificate must then be for it. */
export function autoNames(settings: ClientTLSSettings, isDynamic: boolean): AutoNames {
  const autoSni = !settings.sni;
  const verifies = !settings.insecureSkipVerify;
  const autoSanValidation = verifies && (isDynamic || (autoSni && settings.subjectAltNames.length === 0));
  return { ...(autoSni ? { autoSni } : {}), ...(autoSanValidation ? { autoSanValidation } : {}) };
}
