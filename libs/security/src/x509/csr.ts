import { createPublicKey, type KeyObject } from 'node:crypto';
import { isSignedBy, publicKeyOf, signBytes, signerOf } from './algorithms.ts';
import { type AltName, altNames, readAltNames } from './alt-names.ts';
import {
  bits,
  bitsOf,
  childrenOf,
  contentOf,
  type DerNode,
  integer,
  isTagged,
  oid,
  oidOf,
  readDer,
  sequence,
  set,
  tagged,
  tags,
  writeDer,
} from './der.ts';
import { extension, type Extension, readBasicConstraints, readExtensions } from './extensions.ts';
import { commonNameOf, subjectName } from './names.ts';
import { oids } from './oids.ts';
import { pemBlocks, toPem } from './pem.ts';

/** A request for a certificate (PKCS#10, RFC 2986). */
export interface Csr {
  readonly publicKey: KeyObject;
  /** The SubjectPublicKeyInfo as it stood in the request. */
  readonly spki: DerNode;
  /** The names that it asks for. */
  readonly altNames: readonly AltName[];
  readonly commonName: string | undefined;
  readonly asksForCa: boolean;
  /** Whether it is signed with the key that it asks a certificate for. */
  readonly isSigned: boolean;
}

/** Ten times what a request with an RSA key of 8192 bits needs. */
const maximumCsrLength = 32 * 1024;

const labels: ReadonlySet<string> = new Set(['CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST']);

/** Reads a PEM request. Throws where it is none, with a text that is fit for the one who sent it. */
export function parseCsr(pem: string): Csr {
  if (pem.length > maximumCsrLength) {
    throw new Error(`the certificate signing request is longer than ${maximumCsrLength} characters`);
  }
  const [block, second] = pemBlocks(pem);
  if (!block) throw new Error('certificate signing request is not properly encoded');
  if (second) throw new Error('more than one certificate signing request was sent');
  if (!labels.has(block.label)) {
    throw new Error(`failed to parse X.509 certificate signing request: it is a ${block.label}`);
  }
  try {
    return readCsr(block.der);
  } catch {
    throw new Error('failed to parse X.509 certificate signing request');
  }
}

function readCsr(der: Buffer): Csr {
  const [info, algorithm, signature] = exactly(3, childrenOf(readDer(der)));
  const [version, subject, spki, attributes] = exactly(4, childrenOf(info));
  if (contentOf(version, tags.integer) !== '\0') throw new Error('unknown version');
  if (!isTagged(attributes, 0)) throw new Error('attributes were expected');
  const publicKey = publicKeyOf(writeDer(spki!));
  const extensions = requestedExtensions(childrenOf(attributes));
  const names = extensions.get(oids.subjectAltName);
  const constraints = extensions.get(oids.basicConstraints);
  return {
    publicKey,
    spki: spki!,
    altNames: names ? readAltNames(names.value) : [],
    commonName: commonNameOf(subject!),
    asksForCa: constraints ? readBasicConstraints(constraints.value).isCa : false,
    isSigned: isSignedBy(publicKey, algorithm!, writeDer(info!), bitsOf(signature)),
  };
}

function exactly(count: number, nodes: readonly DerNode[]): readonly DerNode[] {
  if (nodes.length !== count) throw new Error(`${count} elements were expected`);
  return nodes;
}

function requestedExtensions(attributes: readonly DerNode[]): ReadonlyMap<string, Extension> {
  const requests = attributes
    .map((attribute) => childrenOf(attribute))
    .filter(([id]) => oidOf(id) === oids.extensionRequest);
  if (requests.length > 1) throw new Error('extensions are requested twice');
  const [, values] = requests[0] ?? [];
  return values ? readExtensions(childrenOf(exactly(1, childrenOf(values))[0])) : new Map();
}

export interface CsrOptions {
  /** SPIFFE URIs, DNS names, addresses. */
  readonly names: readonly string[];
  readonly commonName?: string;
}

/** A PEM request for this key. */
export async function makeCsr(key: KeyObject, { names, commonName }: CsrOptions): Promise<string> {
  const signer = signerOf(key);
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  const extensions =
    names.length === 0
      ? []
      : [sequence(oid(oids.extensionRequest), set(sequence(extension(oids.subjectAltName, altNames(names)))))];
  const subject = subjectName(commonName === undefined ? {} : { commonName });
  const info = sequence(integer(0), subject, readDer(spki), tagged(0, extensions));
  const signature = await signBytes(signer, writeDer(info));
  return toPem('CERTIFICATE REQUEST', writeDer(sequence(info, signer.algorithm, bits(signature))));
}
