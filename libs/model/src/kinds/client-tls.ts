import { type Of, enumeration, list, message } from '../parse/message.ts';
import { bool, string } from '../parse/scalars.ts';

export const ClientTLSMode = enumeration(['DISABLE', 'SIMPLE', 'MUTUAL', 'ISTIO_MUTUAL']);
export type ClientTLSMode = Of<typeof ClientTLSMode>;

/** TLS of a client towards its server. */
export const ClientTLSSettings = message({
  mode: ClientTLSMode,
  clientCertificate: string,
  privateKey: string,
  caCertificates: string,
  credentialName: string,
  subjectAltNames: list(string),
  sni: string,
  insecureSkipVerify: bool,
  caCrl: string,
});
export type ClientTLSSettings = Of<typeof ClientTLSSettings>;
