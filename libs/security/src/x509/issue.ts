import { createPublicKey, type KeyObject, randomBytes } from 'node:crypto';
import { type Signer, signBytes, signerOf } from './algorithms.ts';
import { altNames } from './alt-names.ts';
import { type Certificate, keyIdentifierOf } from './certificate.ts';
import {
  bigInteger,
  bits,
  type DerNode,
  integer,
  octets,
  oid,
  readDer,
  sequence,
  tagged,
  time,
  writeDer,
} from './der.ts';
import { basicConstraints, extension, keyUsage } from './extensions.ts';
import { subjectName, type SubjectName } from './names.ts';
import { oids } from './oids.ts';
import { toPem } from './pem.ts';

/** Who signs. */
export interface Issuer {
  readonly certificate: Pick<Certificate, 'subject' | 'subjectKeyIdentifier'>;
  readonly signer: Signer;
}

export interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

export interface LeafOptions extends Validity {
  readonly issuer: Issuer;
  readonly spki: DerNode;
  /** SPIFFE URIs, DNS names, addresses. */
  readonly names: readonly string[];
  readonly commonName?: string;
}

/** Issues a certificate for a server and client. The names are critical, since the subject may be empty (RFC 5280, 4.2.1.6). */
export function issueLeaf({ issuer, spki, names, commonName, ...validity }: LeafOptions): Promise<string> {
  const subject = subjectName(commonName === undefined ? {} : { commonName });
  return sign(issuer, { spki, subject, validity }, [
    extension(oids.keyUsage, keyUsage('digitalSignature', 'keyEncipherment'), { critical: true }),
    extension(oids.extendedKeyUsage, sequence(oid(oids.serverAuth), oid(oids.clientAuth))),
    extension(oids.basicConstraints, basicConstraints({ isCa: false, pathLength: undefined }), { critical: true }),
    authorityKeyIdentifier(issuer.certificate.subjectKeyIdentifier),
    extension(oids.subjectAltName, altNames(names), { critical: true }),
  ]);
}

export interface AuthorityOptions extends Validity {
  /** Absent: the certificate is self-signed. */
  readonly issuer?: Issuer;
  readonly key: KeyObject;
  readonly subject: SubjectName;
  readonly pathLength?: number;
}

/** Issues a certificate of an authority: a root, or one below another. */
export function issueAuthority({ issuer, key, subject, pathLength, ...validity }: AuthorityOptions): Promise<string> {
  const spki = readDer(createPublicKey(key).export({ format: 'der', type: 'spki' }));
  const subjectKeyIdentifier = keyIdentifierOf(spki);
  const name = subjectName(subject);
  const self = { certificate: { subject: name, subjectKeyIdentifier }, signer: signerOf(key) };
  const signedBy = issuer ?? self;
  return sign(signedBy, { spki, subject: name, validity }, [
    extension(oids.keyUsage, keyUsage('keyCertSign', 'cRLSign'), { critical: true }),
    extension(oids.basicConstraints, basicConstraints({ isCa: true, pathLength }), { critical: true }),
    extension(oids.subjectKeyIdentifier, octets(subjectKeyIdentifier)),
    authorityKeyIdentifier(signedBy.certificate.subjectKeyIdentifier),
  ]);
}

const authorityKeyIdentifier = (identifier: Buffer): DerNode =>
  extension(oids.authorityKeyIdentifier, sequence(tagged(0, identifier.toString('latin1'))));

interface Content {
  readonly spki: DerNode;
  readonly subject: DerNode;
  readonly validity: Validity;
}

async function sign({ certificate, signer }: Issuer, content: Content, extensions: DerNode[]): Promise<string> {
  const { spki, subject, validity } = content;
  const tbs = sequence(
    tagged(0, [integer(2)]),
    serialNumber(),
    signer.algorithm,
    certificate.subject,
    sequence(time(validity.notBefore), time(validity.notAfter)),
    subject,
    spki,
    tagged(3, [sequence(...extensions)]),
  );
  const signature = await signBytes(signer, writeDer(tbs));
  return toPem('CERTIFICATE', writeDer(sequence(tbs, signer.algorithm, bits(signature))));
}

/** 127 random bits; never zero, which is not a serial number. */
function serialNumber(): DerNode {
  const bytes = randomBytes(16);
  bytes[0]! = (bytes[0]! & 0x7f) | 0x40;
  return bigInteger(bytes);
}
