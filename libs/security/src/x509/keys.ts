import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { type KeyAlgorithm, minimumRsaBits } from './algorithms.ts';
import { pemBlocks } from './pem.ts';

const generate = promisify(generateKeyPair);

export interface KeyOptions {
  readonly algorithm: KeyAlgorithm;
  /** 2048 by default. */
  readonly rsaBits?: number;
}

export async function generateKey({ algorithm, rsaBits = minimumRsaBits }: KeyOptions): Promise<KeyObject> {
  if (algorithm === 'RSA') {
    if (rsaBits < minimumRsaBits) throw new Error(`an RSA key needs at least ${minimumRsaBits} bits, not ${rsaBits}`);
    return (await generate('rsa', { modulusLength: rsaBits })).privateKey;
  }
  return (await generate('ec', { namedCurve: algorithm })).privateKey;
}

const keyKinds: Readonly<Record<string, string>> = {
  'RSA PRIVATE KEY': 'RSA',
  'EC PRIVATE KEY': 'ECDSA',
  'PRIVATE KEY': 'PKCS8',
};

/** Reads PKCS#1, PKCS#8 and SEC1. The error says nothing of the content. */
export function parsePrivateKey(pem: string): KeyObject {
  const block = pemBlocks(pem).find(({ label }) => label !== 'EC PARAMETERS');
  if (!block) throw new Error('invalid PEM-encoded key');
  const kind = keyKinds[block.label];
  if (!kind) throw new Error(`unsupported PEM block type for a private key: ${block.label}`);
  try {
    return createPrivateKey(pem);
  } catch {
    throw new Error(`failed to parse the ${kind} private key`);
  }
}

/** The key in the form that Istio's readers take: PKCS#1 for RSA, SEC1 for curves. */
export function privateKeyPem(key: KeyObject): string {
  const type = key.asymmetricKeyType === 'rsa' ? 'pkcs1' : 'sec1';
  return key.export({ format: 'pem', type }).toString();
}

/** The size of an RSA key in bits. */
export function rsaBitsOf(key: KeyObject): number {
  if (key.asymmetricKeyType !== 'rsa') throw new Error(`key type is not RSA: ${key.asymmetricKeyType}`);
  return key.asymmetricKeyDetails?.modulusLength ?? 0;
}
