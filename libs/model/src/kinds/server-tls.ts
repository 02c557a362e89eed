import { type Of, enumeration, list, message } from '../parse/message.ts';
import { bool, string } from '../parse/scalars.ts';

export const ServerTLSMode = enumeration([
  'PASSTHROUGH',
  'SIMPLE',
  'MUTUAL',
  'AUTO_PASSTHROUGH',
  'ISTIO_MUTUAL',
  'OPTIONAL_MUTUAL',
]);
export type ServerTLSMode = Of<typeof ServerTLSMode>;

export const TLSCertificate = message({
  serverCertificate: string,
  privateKey: string,
  caCertificates: string,
});
export type TLSCertificate = Of<typeof TLSCertificate>;

export const ServerTLSProtocol = enumeration(['TLS_AUTO', 'TLSV1_0', 'TLSV1_1', 'TLSV1_2', 'TLSV1_3']);
export type ServerTLSProtocol = Of<typeof ServerTLSProtocol>;

/** TLS of a server towards its clients. */
export const ServerTLSSettings = message({
  httpsRedirect: bool,
  mode: ServerTLSMode,
  serverCertificate: string,
  privateKey: string,
  caCertificates: string,
  caCrl: string,
  credentialName: string,
  credentialNames: list(string),
  caCertCredentialName: string,
  tlsCertificates: list(TLSCertificate),
  subjectAltNames: list(string),
  verifyCertificateSpki: list(string),
  verifyCertificateHash: list(string),
  minProtocolVersion: ServerTLSProtocol,
  maxProtocolVersion: ServerTLSProtocol,
  cipherSuites: list(string),
  insecureSkipVerify: bool,
  ecdhCurves: list(string),
});
export type ServerTLSSettings = Of<typeof ServerTLSSettings>;
