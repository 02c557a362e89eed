import { createPublicKey } from 'node:crypto';
import { type Signer, signerOf } from '../x509/algorithms.ts';
import { type Certificate, parseCertificate, parseCertificates } from '../x509/certificate.ts';
import { parsePrivateKey } from '../x509/keys.ts';
import { pemBlocks } from '../x509/pem.ts';
import { parseRevocationLists, type RevocationList } from '../x509/revocations.ts';
import { verifyChain } from '../x509/verify-chain.ts';

/** PEM texts of an authority. */
export interface CaTexts {
  readonly certificate: string;
  readonly key: string;
  /** The certificates between this authority and its root; may repeat its own and the root's. */
  readonly chain: string;
  readonly roots: string;
  readonly revocations?: string;
}

/** What an authority signs with, and what its certificates are verified with: parts that fit together. */
export interface CaMaterial {
  readonly certificate: Certificate;
  readonly signer: Signer;
  readonly chain: readonly Certificate[];
  readonly roots: readonly Certificate[];
  readonly revocations: readonly RevocationList[];
  readonly texts: CaTexts;
}

/** Reads an authority and checks that its parts fit together. The errors say which don't. */
export function readCaMaterial(texts: CaTexts, at: Date = new Date()): CaMaterial {
  const certificate = explained('failed to parse cert PEM', () => parseCertificate(texts.certificate));
  const [chain, roots] = [certificatesOf(texts.chain), certificatesOf(texts.roots)];
  explained('cannot verify the cert with the provided root chain and cert pool with error', () =>
    verifyChain(certificate, { roots, intermediates: chain, issues: true, at }),
  );
  const key = explained('failed to parse private key PEM', () => parsePrivateKey(texts.key));
  if (!createPublicKey(key).equals(certificate.publicKey)) throw new Error('the cert does not match the key');
  const signer = signerOf(key);
  const revocations = texts.revocations ? parseRevocationLists(texts.revocations) : [];
  if (revocations.length > 0) checkRevocations(chain, revocations);
  return { certificate, signer, chain, roots, revocations, texts };
}

/** Envoy verifies nothing of a chain where one authority of it has a list and another has none. */
function checkRevocations(chain: readonly Certificate[], lists: readonly RevocationList[]): void {
  const missing = chain.filter((authority) => !lists.some((list) => list.isSignedBy(authority)));
  if (missing.length === 0) return;
  const names = new Set(missing.map(({ x509 }) => x509.subject.replaceAll('\n', ', ')));
  throw new Error(`missing CRL signed by certificates: ${[...names].join('; ')}`);
}

function certificatesOf(pem: string): readonly Certificate[] {
  return pemBlocks(pem).length === 0 ? [] : parseCertificates(pem);
}

function explained<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${what}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** The roots of both, each once: what is trusted while one follows the other. */
export function mergeRoots(...texts: readonly string[]): string {
  const certificates = texts.flatMap(certificatesOf).map(({ pem }) => pem);
  return [...new Set(certificates)].join('');
}
