import type { TransportSocket } from '@kedge/envoy-api';
import type { ClientTLSSettings } from '@kedge/model';
import type { NodeMetadata } from './node-metadata.ts';

const tlsType = 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3';

/** A secret that the agent serves over SDS. */
function sdsSecret(name: string, extra: object = {}) {
  return {
    name,
    sdsConfig: {
      apiConfigSource: {
        apiType: 'GRPC',
        grpcServices: [{ envoyGrpc: { clusterName: 'sds-grpc' } }],
        setNodeOnFirstMessageOnly: true,
        transportApiVersion: 'V3',
      },
      resourceApiVersion: 'V3',
      ...extra,
    },
  };
}

function transportSocket(context: 'UpstreamTlsContext' | 'DownstreamTlsContext', fields: object): TransportSocket {
  return { name: 'envoy.transport_sockets.tls', typedConfig: { '@type': `${tlsType}.${context}`, ...fields } };
}

/** TLS of the secure metrics listeners: the workload's certificate, and clients must show one of the mesh. */
export function workloadServerTls(): TransportSocket {
  return transportSocket('DownstreamTlsContext', {
    requireClientCertificate: true,
    commonTlsContext: {
      tlsCertificateSdsSecretConfigs: [sdsSecret('default')],
      combinedValidationContext: {
        defaultValidationContext: {},
        validationContextSdsSecretConfig: sdsSecret('ROOTCA'),
      },
    },
  });
}

export interface UpstreamTlsOptions {
  /** Server name for ISTIO_MUTUAL without `sni`. */
  readonly defaultSni: string;
  /** Whether the cluster speaks HTTP/2, and so offers it in ALPN. */
  readonly http2: boolean;
}

/** TLS towards a tracer, metrics or access-log service; undefined where the settings ask for none. */
export function upstreamTls(
  settings: ClientTLSSettings | undefined,
  metadata: NodeMetadata,
  { defaultSni, http2 }: UpstreamTlsOptions,
): TransportSocket | undefined {
  const mode = settings?.mode ?? 'DISABLE';
  if (!settings || mode === 'DISABLE') return undefined;
  const isMeshTls = mode === 'ISTIO_MUTUAL';
  const waitForever = { initialFetchTimeout: '0s' };
  const certificate = isMeshTls ? sdsSecret('default', waitForever) : fileCertificate(settings, metadata);
  const root = isMeshTls ? sdsSecret('ROOTCA', waitForever) : fileRoot(settings, metadata);
  const names = settings.subjectAltNames ?? [];
  const sni = settings.sni || (isMeshTls ? defaultSni : '');
  return transportSocket('UpstreamTlsContext', {
    commonTlsContext: {
      ...(http2 && { alpnProtocols: isMeshTls ? ['istio', 'h2'] : ['h2'] }),
      ...(certificate && mode !== 'SIMPLE' && { tlsCertificateSdsSecretConfigs: [certificate] }),
      combinedValidationContext: {
        defaultValidationContext: names.length ? { matchSubjectAltNames: names.map((exact) => ({ exact })) } : {},
        ...(root && { validationContextSdsSecretConfig: root }),
      },
    },
    ...(sni && { sni }),
  });
}

function fileCertificate(settings: ClientTLSSettings, metadata: NodeMetadata) {
  const chain = fileOf(metadata, 'TLS_CLIENT_CERT_CHAIN', settings.clientCertificate);
  const key = fileOf(metadata, 'TLS_CLIENT_KEY', settings.privateKey);
  return chain && key ? sdsSecret(`file-cert:${chain}~${key}`) : undefined;
}

function fileRoot(settings: ClientTLSSettings, metadata: NodeMetadata) {
  const path = fileOf(metadata, 'TLS_CLIENT_ROOT_CERT', settings.caCertificates);
  return path ? sdsSecret(`file-root:${path}`) : undefined;
}

/** Files named in the metadata of the node win over those of the settings. */
function fileOf(metadata: NodeMetadata, key: string, fallback = ''): string {
  return String(metadata[key] ?? '') || fallback;
}
