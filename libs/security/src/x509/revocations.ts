import { isSignedBy } from './algorithms.ts';
import type { Certificate } from './certificate.ts';
import { bitsOf, bytesOf, childrenOf, contentOf, type DerNode, readDer, tags, writeDer } from './der.ts';
import { pemBlocks } from './pem.ts';

/** A list of revoked certificates (RFC 5280, 5), signed by the authority that issued them. */
export interface RevocationList {
  readonly issuerBytes: Buffer;
  /** Serial numbers in hexadecimal, in lower case. */
  readonly revoked: ReadonlySet<string>;
  isSignedBy(authority: Certificate): boolean;
}

/** Reads all lists of a PEM text. */
export function parseRevocationLists(pem: string): readonly RevocationList[] {
  return pemBlocks(pem).map(({ der }) => {
    try {
      return readList(der);
    } catch (error) {
      throw new Error('failed to parse CRL PEM', { cause: error });
    }
  });
}

/** Whether an authority's list, which it signed, names the certificate. */
export function isRevoked(certificate: Certificate, lists: readonly RevocationList[]): boolean {
  return lists.some(
    ({ issuerBytes, revoked }) => issuerBytes.equals(certificate.issuerBytes) && revoked.has(certificate.serial),
  );
}

function readList(der: Buffer): RevocationList {
  const [tbs, algorithm, signature] = childrenOf(readDer(der));
  const fields = childrenOf(tbs);
  const [, issuer, ...rest] = fields[0]?.type === (tags.integer as number) ? fields.slice(1) : fields;
  const entries = rest.find((node) => node.type === (tags.sequence as number) && node.tagClass === 0);
  return {
    issuerBytes: writeDer(issuer!),
    revoked: new Set(entries ? childrenOf(entries).map(serialOf) : []),
    isSignedBy: (authority) =>
      authority.subjectBytes.equals(writeDer(issuer!)) &&
      isSignedBy(authority.publicKey, algorithm!, writeDer(tbs!), bitsOf(signature)),
  };
}

const serialOf = (entry: DerNode): string => bytesOf(contentOf(childrenOf(entry)[0], tags.integer)).toString('hex');
