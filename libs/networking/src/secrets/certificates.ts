import type { ConfigMap, Secret } from '@kedge/model';

/** Values by key, each in base64. */
type Data = Readonly<Record<string, string>>;

export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
  /** Proof, stapled to handshakes, that the certificate was not revoked. */
  readonly ocspStaple?: string;
}

export interface Roots {
  readonly certificates: string;
  /** Revoked certificates. */
  readonly revoked?: string;
}

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

function encoded(texts: Readonly<Record<string, string>>): Data {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, base64(text)]));
}

export const secretData = ({ data, stringData }: Secret): Data => ({ ...data, ...encoded(stringData) });
export const configMapData = ({ data }: ConfigMap): Data => encoded(data);

/** The certificate and key of a secret, generic or of the type for TLS; undefined where it has none. */
export function keyPairOf(data: Data): KeyPair | undefined {
  if (data['cert'] && data['key']) return { certificate: data['cert'], key: data['key'] };
  const { 'tls.crt': certificate, 'tls.key': key, 'tls.ocsp-staple': ocspStaple } = data;
  if (!certificate || !key) return undefined;
  return { certificate, key, ...(ocspStaple === undefined ? {} : { ocspStaple }) };
}

/** Where roots and what was revoked stand, in the same two forms. */
const ROOT_KEYS = [
  ['cacert', 'crl'],
  ['ca.crt', 'ca.crl'],
] as const;

/** The roots of a secret or ConfigMap; undefined where it has none. */
export function rootsOf(data: Data): Roots | undefined {
  for (const [root, crl] of ROOT_KEYS) {
    const certificates = data[root];
    const revoked = data[crl];
    if (certificates) return { certificates, ...(revoked === undefined ? {} : { revoked }) };
  }
  return undefined;
}
