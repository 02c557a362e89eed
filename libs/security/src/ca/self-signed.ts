import { keyAlgorithmOf } from '../x509/algorithms.ts';
import { parseCertificates } from '../x509/certificate.ts';
import { issueAuthority } from '../x509/issue.ts';
import { generateKey, type KeyOptions, parsePrivateKey, privateKeyPem } from '../x509/keys.ts';
import { type CaMaterial, mergeRoots, readCaMaterial } from './ca-material.ts';
import type { CaFiles, CaStore } from './ca-store.ts';
import { clockSkew } from './clock-skew.ts';
import { caFileNames } from './file-names.ts';

export interface SelfSignedOptions {
  readonly store: CaStore;
  readonly organization: string;
  /** Milliseconds. */
  readonly ttl: number;
  readonly key: KeyOptions;
  /** Further roots to be trusted, as PEM. */
  readonly extraRoots?: string;
  readonly now?: () => number;
}

/** The authority that the store has, or else a new one, which is stored before it is used. */
export async function openSelfSigned(options: SelfSignedOptions): Promise<CaMaterial> {
  const stored = await options.store.load();
  if (stored) return selfSignedMaterial(stored, options);
  const key = await generateKey(options.key);
  const certificate = await rootCertificate(privateKeyPem(key), options.organization, options);
  const files = caFiles(certificate, privateKeyPem(key), certificate);
  if (await options.store.create(files)) return selfSignedMaterial(files, options);
  // Another process was first; its authority is the mesh's.
  const others = await options.store.load();
  if (!others) throw new Error('the stored certificate authority went away while it was read');
  return selfSignedMaterial(others, options);
}

/** Reads stored files. Roots that have expired are left out. */
export function selfSignedMaterial(
  files: CaFiles,
  { extraRoots = '', now = Date.now }: Pick<SelfSignedOptions, 'extraRoots' | 'now'>,
): CaMaterial {
  const certificate = fileOf(files, caFileNames.certificate);
  const earlier = mergeRoots(files[caFileNames.roots] ?? '', extraRoots);
  const texts = {
    certificate,
    key: fileOf(files, caFileNames.key),
    chain: '',
    roots: mergeRoots(certificate, unexpired(earlier, now())),
  };
  return readCaMaterial(texts, new Date(now()));
}

/** Whether the last part of the root's life has begun. @param grace the part, between 0 and 1 */
export function isDueForRenewal({ certificate }: CaMaterial, grace: number, now: number): boolean {
  const [from, until] = [certificate.notBefore.getTime(), certificate.notAfter.getTime()];
  return now >= until - (until - from) * grace;
}

/**
 * A new root for the same key, beside which the earlier ones stay trusted: what was signed below one verifies with the
 * other too, so the order in which proxies learn of it doesn't matter.
 */
export async function renewedRoot(material: CaMaterial, options: SelfSignedOptions): Promise<CaFiles> {
  const { key, roots } = material.texts;
  const organization = material.certificate.issuerOrganization ?? options.organization;
  const certificate = await rootCertificate(key, organization, options);
  return caFiles(certificate, key, mergeRoots(certificate, unexpired(roots, (options.now ?? Date.now)())));
}

function rootCertificate(
  keyPem: string,
  organization: string,
  { ttl, now = Date.now }: Pick<SelfSignedOptions, 'ttl' | 'now'>,
): Promise<string> {
  const key = parsePrivateKey(keyPem);
  if (!keyAlgorithmOf(key)) throw new Error('the stored key is of a kind that is not supported');
  const at = now();
  return issueAuthority({
    key,
    subject: { organization },
    notBefore: new Date(at - clockSkew),
    notAfter: new Date(at + ttl),
  });
}

function unexpired(pem: string, now: number): string {
  const certificates = pem === '' ? [] : parseCertificates(pem);
  return certificates
    .filter(({ notAfter }) => notAfter.getTime() > now)
    .map((certificate) => certificate.pem)
    .join('');
}

const caFiles = (certificate: string, key: string, roots: string): CaFiles => ({
  [caFileNames.certificate]: certificate,
  [caFileNames.key]: key,
  [caFileNames.roots]: roots,
});

function fileOf(files: CaFiles, name: string): string {
  const text = files[name];
  if (text === undefined) throw new Error(`the stored certificate authority has no ${name}`);
  return text;
}
