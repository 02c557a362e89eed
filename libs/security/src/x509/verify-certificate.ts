import { createPublicKey } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Certificate, parseCertificates, uriNames } from './certificate.ts';
import type { KeyUsage } from './extensions.ts';
import { parsePrivateKey } from './keys.ts';
import { pemBlocks } from './pem.ts';
import { verifyChain } from './verify-chain.ts';

/** What a certificate is expected to say; what is absent may be anything, but the usages and `isCa`. */
export interface ExpectedFields {
  /** A URI or DNS name of the subject. */
  readonly host?: string;
  readonly notBefore?: Date;
  /** Milliseconds between both times. */
  readonly ttl?: number;
  readonly extendedKeyUsage?: readonly string[];
  readonly keyUsage?: readonly KeyUsage[];
  readonly isCa?: boolean;
  readonly organization?: string;
}

export interface CertificateToVerify {
  /** The certificate, followed by those between it and the root. */
  readonly chain: string;
  readonly roots: string;
  readonly key?: string;
}

/** Checks a certificate with its chain, its key where there is one, and what it says. Throws with what is wrong first. */
export function verifyCertificate({ chain, roots, key }: CertificateToVerify, expected: ExpectedFields): void {
  if (pemBlocks(roots).length === 0) throw new Error('failed to parse root certificate');
  if (pemBlocks(chain).length === 0) throw new Error('failed to parse certificate chain');
  const certificates = parseCertificates(chain);
  const certificate = certificates[0]!;
  try {
    verifyChain(certificate, { roots: parseCertificates(roots), intermediates: certificates });
  } catch (error) {
    throw new Error(`failed to verify certificate: ${error instanceof Error ? error.message : ''}`, { cause: error });
  }
  if (key !== undefined && !createPublicKey(parsePrivateKey(key)).equals(certificate.publicKey)) {
    throw new Error("the private key and the certificate don't match");
  }
  const { host } = expected;
  if (host && !hasName(certificate, host)) {
    throw new Error(`the certificate doesn't have the expected SAN for: ${host}`);
  }
  for (const [field, isRight] of Object.entries(checks)) {
    if (!isRight(certificate, expected)) throw new Error(`unexpected value for '${field}' field`);
  }
}

function hasName(certificate: Certificate, host: string): boolean {
  return uriNames(certificate).some((uri) => uri === host) || certificate.x509.checkHost(host) !== undefined;
}

type Check = (certificate: Certificate, expected: ExpectedFields) => boolean;

/** In the order in which they are told. */
const checks: Readonly<Record<string, Check>> = {
  NotBefore: (certificate, { notBefore }) => !notBefore || notBefore.getTime() === certificate.notBefore.getTime(),
  TTL: ({ notBefore, notAfter }, { ttl }) => !ttl || notAfter.getTime() - notBefore.getTime() === ttl,
  ExtKeyUsage: ({ extendedKeyUsage }, expected) => isSameSet(extendedKeyUsage, expected.extendedKeyUsage),
  KeyUsage: ({ keyUsage }, expected) => isSameSet(keyUsage, expected.keyUsage),
  IsCA: ({ isCa }, expected) => isCa === (expected.isCa ?? false),
  Organization: ({ issuerOrganization }, { organization }) => !organization || organization === issuerOrganization,
};

function isSameSet(one: readonly string[] = [], other: readonly string[] = []): boolean {
  return isDeepStrictEqual(one.toSorted(), other.toSorted());
}

/**
 * Milliseconds until a certificate should be renewed: when the last part of its life begins. Throws where it has expired or
 * should be renewed now.
 * @param grace the part, between 0 and 1
 */
export function timeUntilRenewal({ notBefore, notAfter }: Certificate, grace: number, now: number): number {
  const [from, until] = [notBefore.getTime(), notAfter.getTime()];
  if (now > until) throw new Error(`certificate already expired at ${notAfter.toISOString()}`);
  const wait = until - (until - from) * grace - now;
  if (wait < 0) throw new Error('got a certificate that should be renewed now');
  return wait;
}
