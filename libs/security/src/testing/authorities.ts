import { type KeyAlgorithm } from '../x509/algorithms.ts';
import { CertificateAuthority, type CertificateAuthorityOptions } from '../ca/certificate-authority.ts';
import { type CaMaterial, type CaTexts, readCaMaterial } from '../ca/ca-material.ts';
import { signerOf } from '../x509/algorithms.ts';
import { parseCertificate } from '../x509/certificate.ts';
import { issueAuthority, type Issuer } from '../x509/issue.ts';
import { generateKey, parsePrivateKey, privateKeyPem } from '../x509/keys.ts';

const HOUR = 3_600_000;

/** A key and the certificate of an authority, as PEM. */
export interface AuthorityPair {
  readonly key: string;
  readonly certificate: string;
}

interface PairOptions {
  readonly name: string;
  readonly algorithm?: KeyAlgorithm;
  readonly issuer?: AuthorityPair;
  readonly pathLength?: number;
  readonly ttl?: number;
  readonly now?: number;
}

/** Makes an authority for a test: a root, or one below another. */
export async function authorityPair(options: PairOptions): Promise<AuthorityPair> {
  const { name, algorithm = 'P-256', issuer, pathLength, ttl = 24 * HOUR, now = Date.now() } = options;
  const key = await generateKey({ algorithm });
  const certificate = await issueAuthority({
    key,
    subject: { organization: 'test', commonName: name },
    notBefore: new Date(now - HOUR),
    notAfter: new Date(now + ttl),
    ...(issuer ? { issuer: issuerOf(issuer) } : {}),
    ...(pathLength === undefined ? {} : { pathLength }),
  });
  return { key: privateKeyPem(key), certificate };
}

function issuerOf({ key, certificate }: AuthorityPair): Issuer {
  return { certificate: parseCertificate(certificate), signer: signerOf(parsePrivateKey(key)) };
}

export const rootTexts = ({ key, certificate }: AuthorityPair): CaTexts => ({
  certificate,
  key,
  chain: '',
  roots: certificate,
});

/** Of an authority right below a root. */
export const intermediateTexts = (intermediate: AuthorityPair, root: AuthorityPair): CaTexts => ({
  certificate: intermediate.certificate,
  key: intermediate.key,
  chain: intermediate.certificate,
  roots: root.certificate,
});

export async function rootMaterial(algorithm: KeyAlgorithm = 'P-256'): Promise<CaMaterial> {
  return readCaMaterial(rootTexts(await authorityPair({ name: 'root', algorithm })));
}

/** An authority with a self-signed root. */
export async function testAuthority(
  options: Partial<CertificateAuthorityOptions> & { readonly algorithm?: KeyAlgorithm } = {},
): Promise<CertificateAuthority> {
  return new CertificateAuthority({ material: await rootMaterial(options.algorithm), ...options });
}
