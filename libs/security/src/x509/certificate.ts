import { createHash, type KeyObject, X509Certificate } from 'node:crypto';
import { type AltName, readAltNames } from './alt-names.ts';
import {
  bitsOf,
  bytesOf,
  childrenOf,
  contentOf,
  type DerNode,
  isTagged,
  oidOf,
  readDer,
  tags,
  timeOf,
  writeDer,
} from './der.ts';
import {
  type KeyUsage,
  readBasicConstraints,
  readExtendedKeyUsage,
  readExtensions,
  readKeyUsage,
} from './extensions.ts';
import { organizationOf } from './names.ts';
import { oids } from './oids.ts';
import { pemBlocks, toPem } from './pem.ts';

/** A certificate, read. Nothing of it is verified. */
export interface Certificate {
  readonly pem: string;
  readonly x509: X509Certificate;
  readonly publicKey: KeyObject;
  /** Hexadecimal, in lower case. */
  readonly serial: string;
  readonly subject: DerNode;
  /** The encoded names, to compare. */
  readonly subjectBytes: Buffer;
  readonly issuerBytes: Buffer;
  readonly issuerOrganization: string | undefined;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Whether it says that it is an authority's. */
  readonly isCa: boolean;
  /** Whether it is of a version that can't say so (before 3). */
  readonly isOld: boolean;
  readonly pathLength: number | undefined;
  /** Absent where the certificate doesn't limit its use. */
  readonly keyUsage: readonly KeyUsage[] | undefined;
  /** Object identifiers. */
  readonly extendedKeyUsage: readonly string[] | undefined;
  readonly altNames: readonly AltName[];
  readonly subjectKeyIdentifier: Buffer;
  /** Object identifier of the algorithm that it is signed with. */
  readonly signatureAlgorithm: string;
  /** Critical extensions that nobody here understands. */
  readonly unknownCritical: readonly string[];
}

const understood: ReadonlySet<string> = new Set([
  oids.keyUsage,
  oids.subjectAltName,
  oids.basicConstraints,
  oids.extendedKeyUsage,
]);

/** Reads the first certificate of a PEM text; the errors are fit for logs. */
export function parseCertificate(pem: string): Certificate {
  const [block] = pemBlocks(pem);
  if (!block) throw new Error('invalid PEM encoded certificate');
  return certificateOf(block.der);
}

/** Reads all certificates of a PEM text, of which there is at least one. */
export function parseCertificates(pem: string): readonly Certificate[] {
  const found = pemBlocks(pem);
  if (found.length === 0) throw new Error('invalid PEM encoded certificate');
  return found.map(({ der }) => certificateOf(der));
}

/** Reads a certificate from its encoding. */
export function certificateOf(der: Uint8Array): Certificate {
  try {
    return readCertificate(der);
  } catch (error) {
    throw new Error('failed to parse X.509 certificate', { cause: error });
  }
}

function readCertificate(der: Uint8Array): Certificate {
  const x509 = new X509Certificate(der);
  const [tbs, algorithm] = childrenOf(readDer(der));
  const fields = childrenOf(tbs);
  const [serial, , issuer, validity, subject, spki, ...rest] = isTagged(fields[0], 0) ? fields.slice(1) : fields;
  const tail = rest.find((node) => isTagged(node, 3));
  const extensions = tail ? readExtensions(childrenOf(childrenOf(tail)[0])) : new Map<string, never>();
  const read = <T>(id: string, reader: (value: Uint8Array) => T): T | undefined => {
    const found = extensions.get(id);
    return found && reader(found.value);
  };
  const [notBefore, notAfter] = childrenOf(validity).map(timeOf);
  const { isCa = false, pathLength } = read(oids.basicConstraints, readBasicConstraints) ?? {};
  return {
    pem: toPem('CERTIFICATE', der),
    x509,
    publicKey: x509.publicKey,
    serial: bytesOf(contentOf(serial, tags.integer)).toString('hex'),
    subject: subject!,
    subjectBytes: writeDer(subject!),
    issuerBytes: writeDer(issuer!),
    issuerOrganization: organizationOf(issuer!),
    notBefore: notBefore!,
    notAfter: notAfter!,
    isCa,
    isOld: !isTagged(fields[0], 0),
    pathLength,
    keyUsage: read(oids.keyUsage, readKeyUsage),
    extendedKeyUsage: read(oids.extendedKeyUsage, readExtendedKeyUsage),
    altNames: read(oids.subjectAltName, readAltNames) ?? [],
    subjectKeyIdentifier:
      read(oids.subjectKeyIdentifier, (value) => bytesOf(contentOf(readDer(value), tags.octetString))) ??
      keyIdentifierOf(spki!),
    signatureAlgorithm: oidOf(childrenOf(algorithm)[0]),
    unknownCritical: [...extensions.values()]
      .filter((extension: { oid: string; critical: boolean }) => extension.critical && !understood.has(extension.oid))
      .map(({ oid }) => oid),
  };
}

/** An identifier of a key: the hash of its bits (RFC 5280, 4.2.1.2, method 1). */
export function keyIdentifierOf(spki: DerNode): Buffer {
  return createHash('sha1')
    .update(bitsOf(childrenOf(spki)[1]))
    .digest();
}

/** The URIs that a certificate names its subject by. */
export function uriNames({ altNames }: Certificate): readonly string[] {
  return altNames.filter(({ kind }) => kind === 'uri').map(({ value }) => value);
}

/** A certificate without what it is made of is the same where its bytes are. */
export const isSameCertificate = (one: Certificate, other: Certificate): boolean => one.x509.raw.equals(other.x509.raw);
