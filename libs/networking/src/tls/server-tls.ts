import type { Messages } from '@kedge/envoy-api';
import { type Features, type MeshConfig, type ServerTLSSettings } from '@kedge/model';
import { compliant } from './compliance.ts';
import {
  CA_SUFFIX,
  credentialSecret,
  fileSecret,
  keyPairFiles,
  rootFile,
  rootSecret,
  type SdsSecretConfig,
  workloadSecret,
} from './sds-config.ts';
import { knownCipherSuites, knownCurves } from './tls-parameters.ts';

export type DownstreamTlsContext = Messages['envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext'];
type CommonTlsContext = NonNullable<DownstreamTlsContext['commonTlsContext']>;
type TlsParameters = NonNullable<CommonTlsContext['tlsParams']>;
type ValidationContext = Messages['envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext'];

/** Files of a certificate, its key and the roots for those of clients. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
  readonly root: string;
}

/** All that the TLS context of a Gateway's server, or of a Sidecar's ingress listener, is made from. */
export interface ServerTlsInput {
  /** With a mode that ends TLS. */
  readonly settings: ServerTLSSettings;
  /** What runs within TLS; `opaque` is any TCP. */
  readonly content: 'http' | 'http3' | 'opaque';
  /** Files that the workload has its own certificate in, instead of getting it from its agent. */
  readonly workloadFiles?: CertificateFiles;
  readonly mesh: MeshConfig;
  readonly features: Features;
  /** See {@link credentialSecret}. */
  readonly credentials: Parameters<typeof credentialSecret>[1];
  readonly fileSocket: boolean;
}

export function serverTlsContext(input: ServerTlsInput): DownstreamTlsContext {
  const { mode = 'SIMPLE' } = input.settings;
  const demands = mode === 'MUTUAL' || mode === 'ISTIO_MUTUAL';
  const params = tlsParameters(input);
  return {
    commonTlsContext: {
      ...(Object.keys(params).length > 0 ? { tlsParams: params } : {}),
      ...certificates(input, demands || mode === 'OPTIONAL_MUTUAL'),
      alpnProtocols: alpn(input),
    },
    // Envoy cannot ask for certificates over QUIC.
    requireClientCertificate: demands && input.content !== 'http3',
  };
}

function alpn({ content, settings, features }: ServerTlsInput): string[] {
  if (content === 'http3') return ['h3'];
  const exchanges = content === 'opaque' && settings.mode === 'ISTIO_MUTUAL' && !features.disableMetadataExchangeAlpn;
  return [...(exchanges ? ['istio-peer-exchange'] : []), 'h2', 'http/1.1'];
}

/** What the settings say, over what the mesh says; TLS of the mesh itself has no settings. */
function tlsParameters({ settings, mesh, features }: ServerTlsInput): TlsParameters {
  if (settings.mode === 'ISTIO_MUTUAL') return compliant({}, features.compliancePolicy);
  const defaults = mesh.tlsDefaults;
  const minimum = version(settings.minProtocolVersion) ?? version(defaults?.minProtocolVersion);
  const maximum = version(settings.maxProtocolVersion);
  const cipherSuites = firstOf(knownCipherSuites, settings.cipherSuites, defaults?.cipherSuites);
  const ecdhCurves = firstOf(knownCurves, settings.ecdhCurves, defaults?.ecdhCurves);
  const params: TlsParameters = {
    ...(minimum ? { tlsMinimumProtocolVersion: minimum } : {}),
    ...(maximum ? { tlsMaximumProtocolVersion: maximum } : {}),
    ...(cipherSuites.length > 0 ? { cipherSuites } : {}),
    ...(ecdhCurves.length > 0 ? { ecdhCurves } : {}),
  };
  return compliant(params, features.compliancePolicy);
}

/** The first list of which Envoy knows something. */
function firstOf(known: typeof knownCurves, ...lists: readonly (readonly string[] | undefined)[]): readonly string[] {
  return lists.map((list) => known(list ?? [])).find((list) => list.length > 0) ?? [];
}

const VERSIONS: Readonly<Record<string, NonNullable<TlsParameters['tlsMinimumProtocolVersion']>>> = {
  TLSV1_0: 'TLSv1_0',
  TLSV1_1: 'TLSv1_1',
  TLSV1_2: 'TLSv1_2',
  TLSV1_3: 'TLSv1_3',
};
const version = (name: string | undefined): TlsParameters['tlsMinimumProtocolVersion'] => VERSIONS[name ?? ''];

function certificates(input: ServerTlsInput, validates: boolean): CommonTlsContext {
  const { settings } = input;
  if (settings.mode === 'ISTIO_MUTUAL') return fileCertificates(input, input.workloadFiles, validates);
  if (settings.credentialNames.length > 0 || settings.credentialName) return credentialCertificates(input, validates);
  const { serverCertificate = '', privateKey = '', caCertificates = '' } = settings;
  return fileCertificates(input, { certificate: serverCertificate, key: privateKey, root: caCertificates }, validates);
}

function credentialCertificates({ settings, credentials }: ServerTlsInput, validates: boolean): CommonTlsContext {
  const { credentialName = '', credentialNames, caCertCredentialName, subjectAltNames } = settings;
  const names = credentialNames.length > 0 ? credentialNames : [credentialName];
  const root = caCertCredentialName || (names[0] ?? '') + CA_SUFFIX;
  return {
    tlsCertificateSdsSecretConfigs: names.map((name) => credentialSecret(name, credentials)),
    ...(validates
      ? validation(credentialSecret(root, credentials), {
          ...clientNames(settings),
          ...pins(settings),
          ...untrusted(settings),
        })
      : subjectAltNames.length > 0
        ? { validationContext: clientNames(settings) }
        : {}),
  };
}

/** Files, or where none are named the certificate that the agent gets for the workload. */
function fileCertificates(
  { settings, fileSocket }: ServerTlsInput,
  files: CertificateFiles | undefined,
  validates: boolean,
): CommonTlsContext {
  const own = files?.certificate && files.key ? [{ serverCertificate: files.certificate, privateKey: files.key }] : [];
  const pairs = settings.tlsCertificates.length > 0 ? settings.tlsCertificates : own;
  const secrets = pairs.map(({ serverCertificate = '', privateKey = '' }) =>
    fileSecret(keyPairFiles(serverCertificate, privateKey), fileSocket),
  );
  const root = files?.root ? fileSecret(rootFile(files.root), fileSocket) : rootSecret;
  const { caCrl } = settings;
  return {
    tlsCertificateSdsSecretConfigs: secrets.length > 0 ? secrets : [workloadSecret],
    ...(validates
      ? validation(root, {
          ...clientNames(settings),
          ...(caCrl ? { crl: { filename: caCrl } } : {}),
          ...untrusted(settings),
        })
      : {}),
  };
}

const validation = (root: SdsSecretConfig, context: ValidationContext): CommonTlsContext => ({
  combinedValidationContext: { defaultValidationContext: context, validationContextSdsSecretConfig: root },
});

const clientNames = ({ subjectAltNames }: ServerTLSSettings): ValidationContext =>
  subjectAltNames.length > 0 ? { matchSubjectAltNames: subjectAltNames.map((exact) => ({ exact })) } : {};

const pins = ({ verifyCertificateSpki, verifyCertificateHash }: ServerTLSSettings): ValidationContext => ({
  ...(verifyCertificateSpki.length > 0 ? { verifyCertificateSpki } : {}),
  ...(verifyCertificateHash.length > 0 ? { verifyCertificateHash } : {}),
});

/** Clients may show any certificate; it is passed on all the same. */
const untrusted = ({ insecureSkipVerify }: ServerTLSSettings): ValidationContext =>
  insecureSkipVerify ? { trustChainVerification: 'ACCEPT_UNTRUSTED' } : {};
