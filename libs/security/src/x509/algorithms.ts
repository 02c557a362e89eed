import { createPublicKey, type KeyObject, sign as signNow, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { type DerNode, oid, oidOf, childrenOf, primitive, sequence, tags } from './der.ts';

/** Kinds of keys that are generated and accepted. */
export type KeyAlgorithm = 'P-256' | 'P-384' | 'RSA';

/** Shorter RSA keys are refused: NIST allows 2048 bits until 2030. */
export const minimumRsaBits = 2048;
/** Longer ones cost the verifier more than anybody needs to ask for. */
const maximumRsaBits = 8192;

interface SignatureAlgorithm {
  readonly hash: 'sha256' | 'sha384' | 'sha512';
  readonly keyType: 'rsa' | 'ec';
}

/** RFC 8017, RFC 5758. What isn't here is too weak (MD5, SHA-1) or not in use. */
const signatureAlgorithms: Readonly<Record<string, SignatureAlgorithm>> = {
  '1.2.840.113549.1.1.11': { hash: 'sha256', keyType: 'rsa' },
  '1.2.840.113549.1.1.12': { hash: 'sha384', keyType: 'rsa' },
  '1.2.840.113549.1.1.13': { hash: 'sha512', keyType: 'rsa' },
  '1.2.840.10045.4.3.2': { hash: 'sha256', keyType: 'ec' },
  '1.2.840.10045.4.3.3': { hash: 'sha384', keyType: 'ec' },
  '1.2.840.10045.4.3.4': { hash: 'sha512', keyType: 'ec' },
};

/** How a key signs: its algorithm identifier, and its hash. */
export interface Signer {
  readonly key: KeyObject;
  readonly hash: SignatureAlgorithm['hash'];
  readonly algorithm: DerNode;
}

/** Throws where the key is not one that may sign. */
export function signerOf(key: KeyObject): Signer {
  switch (keyAlgorithmOf(key)) {
    case 'RSA':
      return { key, hash: 'sha256', algorithm: sequence(oid('1.2.840.113549.1.1.11'), primitive(tags.null, '')) };
    case 'P-384':
      return { key, hash: 'sha384', algorithm: sequence(oid('1.2.840.10045.4.3.3')) };
    case 'P-256':
      return { key, hash: 'sha256', algorithm: sequence(oid('1.2.840.10045.4.3.2')) };
    case undefined:
      throw new Error('the key is none of ECDSA P-256, ECDSA P-384 and RSA');
  }
}

const signElsewhere = promisify(signNow);

/** Signs with RSA on another thread: a millisecond that others would wait for. A curve's signature takes less than the way. */
export async function signBytes({ key, hash }: Signer, data: Uint8Array): Promise<Buffer> {
  return key.asymmetricKeyType === 'rsa' ? signElsewhere(hash, data, key) : signNow(hash, data, key);
}

/** Whether the data was signed with the private key of `key`; false too where the algorithm is too weak or unknown. */
export function isSignedBy(key: KeyObject, algorithm: DerNode, data: Uint8Array, signature: Uint8Array): boolean {
  const known = signatureAlgorithms[oidOf(childrenOf(algorithm)[0])];
  if (!known || known.keyType !== key.asymmetricKeyType) return false;
  return verify(known.hash, data, key, signature);
}

export function isStrongSignature(algorithmOid: string): boolean {
  return algorithmOid in signatureAlgorithms;
}

const curves: Readonly<Record<string, KeyAlgorithm>> = { prime256v1: 'P-256', secp384r1: 'P-384' };

/** Undefined for keys of other kinds. */
export function keyAlgorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): KeyAlgorithm | undefined {
  if (asymmetricKeyType === 'rsa') return 'RSA';
  return asymmetricKeyType === 'ec' ? curves[asymmetricKeyDetails?.namedCurve ?? ''] : undefined;
}

/** Why the key must not be certified, or undefined where it may. */
export function weaknessOf(key: KeyObject): string | undefined {
  const algorithm = keyAlgorithmOf(key);
  if (!algorithm) return 'the key must be ECDSA P-256, ECDSA P-384 or RSA';
  if (algorithm !== 'RSA') return undefined;
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  if (modulusLength < minimumRsaBits)
    return `the RSA key has ${modulusLength} bits, at least ${minimumRsaBits} are needed`;
  if (modulusLength > maximumRsaBits)
    return `the RSA key has ${modulusLength} bits, at most ${maximumRsaBits} are allowed`;
  if (publicExponent < 3n || publicExponent % 2n === 0n) return 'the RSA key has an unusable exponent';
  return undefined;
}

/** The key in a SubjectPublicKeyInfo. Throws where it is none that OpenSSL knows. */
export function publicKeyOf(spki: Buffer): KeyObject {
  return createPublicKey({ key: spki, format: 'der', type: 'spki' });
}
