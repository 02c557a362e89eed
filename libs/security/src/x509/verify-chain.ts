import { isStrongSignature } from './algorithms.ts';
import { type Certificate, isSameCertificate } from './certificate.ts';

/** What a certificate is verified with. */
export interface TrustAnchors {
  readonly roots: readonly Certificate[];
  readonly intermediates: readonly Certificate[];
  /** Now, by default. */
  readonly at?: Date;
  /** Whether the certificate is to issue others, so that it counts as one of the path's authorities itself. */
  readonly issues?: boolean;
}

/** Longer chains are not tried. */
const maximumLength = 8;

/**
 * Finds a way from a certificate to a root (RFC 5280, 6.1): signatures, times, authorities' rights, path lengths. A
 * certificate among the roots is trusted by itself. Gives the chain, the certificate first; throws where there is none.
 */
export function verifyChain(certificate: Certificate, anchors: TrustAnchors): readonly Certificate[] {
  const at = anchors.at ?? new Date();
  const problem = problemOf(certificate, at);
  if (problem !== undefined) throw new Error(`x509: ${problem}`);
  const search: Search = { ...anchors, at, problem: 'certificate signed by unknown authority' };
  const chain = extend([certificate], search);
  if (!chain) throw new Error(`x509: ${search.problem}`);
  return chain;
}

interface Search extends TrustAnchors {
  readonly at: Date;
  /** Why the last candidate was none. */
  problem: string;
}

function extend(chain: readonly Certificate[], search: Search): readonly Certificate[] | undefined {
  const last = chain.at(-1)!;
  if (search.roots.some((root) => isSameCertificate(root, last))) return chain;
  if (chain.length >= maximumLength) return undefined;
  for (const candidate of [...search.roots, ...search.intermediates]) {
    if (!candidate.subjectBytes.equals(last.issuerBytes)) continue;
    if (chain.some((known) => isSameCertificate(known, candidate))) continue;
    const problem = problemOf(candidate, search.at) ?? problemOfIssuer(candidate, chain, search);
    if (problem !== undefined) {
      search.problem = problem;
      continue;
    }
    const found = extend([...chain, candidate], search);
    if (found) return found;
  }
  return undefined;
}

function problemOf(certificate: Certificate, at: Date): string | undefined {
  const { notBefore, notAfter, unknownCritical } = certificate;
  if (at < notBefore) return `certificate is not valid before ${notBefore.toISOString()}`;
  if (at > notAfter) return `certificate has expired at ${notAfter.toISOString()}`;
  if (unknownCritical.length > 0) return `unhandled critical extension ${unknownCritical.join(', ')}`;
  return undefined;
}

function problemOfIssuer(
  issuer: Certificate,
  chain: readonly Certificate[],
  { roots, issues = false }: TrustAnchors,
): string | undefined {
  const issued = chain.at(-1)!;
  // An old root can't say that it is an authority; being trusted as a root says it.
  const isAuthority = issuer.isCa || (issuer.isOld && roots.some((root) => isSameCertificate(root, issuer)));
  if (!isAuthority || (issuer.keyUsage && !issuer.keyUsage.includes('keyCertSign'))) {
    return 'certificate is not authorized to sign other certificates';
  }
  if (!isStrongSignature(issued.signatureAlgorithm)) return 'certificate is signed with a weak algorithm';
  if (!issued.x509.verify(issuer.publicKey)) return 'certificate signature is not valid';
  const between = chain.filter((certificate, at) => (at > 0 || issues) && !isSelfIssued(certificate)).length;
  if (issuer.pathLength !== undefined && between > issuer.pathLength)
    return 'too many intermediates for path length constraint';
  return undefined;
}

const isSelfIssued = ({ subjectBytes, issuerBytes }: Certificate): boolean => subjectBytes.equals(issuerBytes);
