import type { MeshRead } from '@kedge/config';
import type { MeshConfig } from '@kedge/model';
import { features, meshConfig, metadataText } from '@kedge/pushcontext';
import { hasFileSocket } from '../clusters/client-tls.ts';
import { compliant } from './compliance.ts';
import { fileSecret, keyPairFiles, rootFile, rootSecret, workloadSecret } from './sds-config.ts';
import type { CertificateFiles, DownstreamTlsContext } from './server-tls.ts';
import { knownCipherSuites } from './tls-parameters.ts';

/** Ciphers that proxies of the mesh take, the preferred one first. */
const CIPHERS = [
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'AES256-GCM-SHA384',
  'AES128-GCM-SHA256',
];

/** How a workload ends mutual TLS of the mesh. What runs within it is known beforehand: HTTP, or any bytes. */
export function downstreamMeshTls(read: MeshRead, content: 'http' | 'tcp'): DownstreamTlsContext {
  const mesh = meshConfig(read);
  const switches = features(read);
  const files = workloadFiles(read);
  const exchanges = content === 'tcp' && switches.metadataExchange && !switches.disableMetadataExchangeAlpn;
  const stated = knownCipherSuites(mesh.meshMTLS?.cipherSuites ?? []);
  const trusted = switches.skipTrustDomainValidation ? [] : trustDomains(mesh);
  return {
    commonTlsContext: {
      tlsParams: compliant(
        {
          tlsMinimumProtocolVersion: mesh.meshMTLS?.minProtocolVersion === 'TLSV1_3' ? 'TLSv1_3' : 'TLSv1_2',
          tlsMaximumProtocolVersion: 'TLSv1_3',
          cipherSuites: stated.length > 0 ? stated : CIPHERS,
        },
        switches.compliancePolicy,
      ),
      tlsCertificateSdsSecretConfigs: [
        files.certificate && files.key
          ? fileSecret(keyPairFiles(files.certificate, files.key), read.fact(hasFileSocket))
          : workloadSecret,
      ],
      combinedValidationContext: {
        defaultValidationContext:
          trusted.length > 0
            ? { matchSubjectAltNames: trusted.map((domain) => ({ prefix: `spiffe://${domain}/` })) }
            : {},
        validationContextSdsSecretConfig: files.root
          ? fileSecret(rootFile(files.root), read.fact(hasFileSocket))
          : rootSecret,
      },
      alpnProtocols: [...(exchanges ? ['istio-peer-exchange'] : []), 'h2', 'http/1.1'],
    },
    requireClientCertificate: true,
  };
}

/** Whose workloads may connect: those of the mesh's own domain, of its aliases, and of certificates that name others. */
function trustDomains({ trustDomain = '', trustDomainAliases, caCertificates }: MeshConfig): readonly string[] {
  const all = [trustDomain, ...trustDomainAliases, ...caCertificates.flatMap((one) => one.trustDomains)];
  return [...new Set(all)];
}

/** The files that a workload has its own certificate in, as the proxy states them; empty where its agent gets one. */
export function workloadFiles(read: MeshRead): CertificateFiles {
  const text = (field: 'tlsServerCertChain' | 'tlsServerKey' | 'tlsServerRootCert'): string =>
    String(read.fact(metadataText, field) ?? '');
  return { certificate: text('tlsServerCertChain'), key: text('tlsServerKey'), root: text('tlsServerRootCert') };
}
