import type { Messages } from '@kedge/envoy-api';
import type { ClientTLSSettings, Features, MeshConfig } from '@kedge/model';
import { compliant } from './compliance.ts';
import {
  CA_SUFFIX,
  credentialSecret,
  fileSecret,
  keyPairFiles,
  rootFile,
  rootSecret,
  workloadSecret,
} from './sds-config.ts';
import { knownCipherSuites, knownCurves } from './tls-parameters.ts';

export type UpstreamTlsContext = Messages['envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext'];
type CommonTlsContext = NonNullable<UpstreamTlsContext['commonTlsContext']>;
type ValidationContext = Messages['envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext'];

/** All that a TLS context of a client is made from. */
export interface UpstreamTlsInput {
  readonly settings: ClientTLSSettings;
  /** SNI and name of the cluster, where the settings name no SNI; none leaves it to the Host header. */
  readonly fallbackSni: string | undefined;
  /** Whether the cluster speaks HTTP/2. */
  readonly http2: boolean;
  readonly mesh: MeshConfig;
  readonly features: Features;
  /** Whether the proxy has a socket of the operator's that serves credentials, or files. */
  readonly credentialSocket: boolean;
  readonly fileSocket: boolean;
}

export type UpstreamTlsResult = { readonly context: UpstreamTlsContext } | { readonly problem: string };

/** The TLS context for a mode other than DISABLE. */
export function upstreamTlsContext(input: UpstreamTlsInput): UpstreamTlsResult {
  const { mode } = input.settings;
  if (mode === 'ISTIO_MUTUAL') return { context: meshContext(input) };
  return standardContext(input, mode === 'MUTUAL');
}

const exactly = (names: readonly string[]): ValidationContext =>
  names.length > 0 ? { matchSubjectAltNames: names.map((exact) => ({ exact })) } : {};

/** TLS between two proxies of the mesh, with the certificates of their workloads. */
function meshContext({ settings, fallbackSni, http2, features }: UpstreamTlsInput): UpstreamTlsContext {
  const exchange = features.metadataExchange && !features.disableMetadataExchangeAlpn ? ['istio-peer-exchange'] : [];
  const sni = settings.sni || fallbackSni;
  return {
    commonTlsContext: {
      tlsParams: compliant(VERSIONS, features.compliancePolicy),
      tlsCertificateSdsSecretConfigs: [workloadSecret],
      combinedValidationContext: {
        defaultValidationContext: exactly(settings.subjectAltNames),
        validationContextSdsSecretConfig: rootSecret,
      },
      alpnProtocols: [...exchange, 'istio', ...(http2 ? ['h2'] : [])],
    },
    ...(sni ? { sni } : {}),
  };
}

const VERSIONS = { tlsMinimumProtocolVersion: 'TLSv1_2', tlsMaximumProtocolVersion: 'TLSv1_3' } as const;

/** TLS with any server, by credentials or files; `mutual` shows a certificate too. */
function standardContext(input: UpstreamTlsInput, mutual: boolean): UpstreamTlsResult {
  const { settings, mesh, features, http2 } = input;
  const secrets = settings.credentialName ? credentialContext(input, mutual) : fileContext(input, mutual);
  if (!secrets) return { problem: 'mode MUTUAL needs a client certificate and a private key' };
  const ecdhCurves = knownCurves(mesh.tlsDefaults?.ecdhCurves ?? []);
  const cipherSuites = knownCipherSuites(mesh.tlsDefaults?.cipherSuites ?? []);
  const params = {
    ...VERSIONS,
    ...(cipherSuites.length > 0 ? { cipherSuites } : {}),
    ...(ecdhCurves.length > 0 ? { ecdhCurves } : {}),
  };
  return {
    context: {
      commonTlsContext: {
        tlsParams: compliant(params, features.compliancePolicy),
        ...secrets,
        ...(http2 ? { alpnProtocols: ['h2'] } : {}),
      },
      ...(settings.sni ? { sni: settings.sni } : {}),
    },
  };
}

function credentialContext({ settings, credentialSocket }: UpstreamTlsInput, mutual: boolean): CommonTlsContext {
  const credential = settings.credentialName ?? '';
  const options = { socket: credentialSocket };
  return {
    ...(mutual ? { tlsCertificateSdsSecretConfigs: [credentialSecret(credential, options)] } : {}),
    ...(settings.insecureSkipVerify
      ? {}
      : {
          combinedValidationContext: {
            defaultValidationContext: exactly(settings.subjectAltNames),
            validationContextSdsSecretConfig: credentialSecret(credential + CA_SUFFIX, options),
          },
        }),
  };
}

/** Files go through SDS too, so that new ones are noticed. Servers are verified by the system's roots by default. */
function fileContext({ settings, fileSocket }: UpstreamTlsInput, mutual: boolean): CommonTlsContext | undefined {
  const { clientCertificate = '', privateKey = '', caCertificates, caCrl, insecureSkipVerify } = settings;
  if (mutual && !(clientCertificate && privateKey)) return undefined;
  return {
    ...(mutual
      ? { tlsCertificateSdsSecretConfigs: [fileSecret(keyPairFiles(clientCertificate, privateKey), fileSocket)] }
      : {}),
    ...(insecureSkipVerify
      ? { validationContext: {} }
      : {
          combinedValidationContext: {
            defaultValidationContext: {
              ...exactly(settings.subjectAltNames),
              ...(caCrl ? { crl: { filename: caCrl } } : {}),
            },
            validationContextSdsSecretConfig: fileSecret(rootFile(caCertificates || 'system'), fileSocket),
          },
        }),
  };
}
