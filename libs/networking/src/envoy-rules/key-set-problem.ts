import { createPublicKey, type JsonWebKeyInput, X509Certificate } from 'node:crypto';
import { isJsonObject, type JsonObject } from '@kedge/model';

/** Curves of RFC 7518 with the algorithms that use them; the first is meant where nothing is said. */
const CURVES: Readonly<Record<string, string>> = { 'P-256': 'ES256', 'P-384': 'ES384', 'P-521': 'ES512' };
const DEFAULT_CURVE = 'P-256';
/** Smaller moduli and exponents are no keys. */
const MIN_MODULUS_BITS = 512;
const MIN_EXPONENT = 3n;

/** By key type, whether the key can be used with the algorithm that it states, if it states one. */
const KEY_TYPES: Readonly<Record<string, (key: JsonObject, algorithm: string) => boolean>> = {
  RSA: (key, algorithm) => {
    const { modulusLength = 0, publicExponent = 0n } = publicKey(key) ?? {};
    return /^(?:RS|PS|$)/.test(algorithm) && modulusLength >= MIN_MODULUS_BITS && publicExponent >= MIN_EXPONENT;
  },
  EC: (key, algorithm) => {
    const crv = String(key.crv || curveOf(algorithm));
    const ownAlgorithm = CURVES[crv];
    return (
      ownAlgorithm !== undefined && ['', ownAlgorithm].includes(algorithm) && publicKey({ ...key, crv }) !== undefined
    );
  },
  OKP: (key, algorithm) => key.crv === 'Ed25519' && ['', 'EdDSA'].includes(algorithm) && publicKey(key) !== undefined,
  oct: ({ k }, algorithm) => /^(?:HS|$)/.test(algorithm) && isBase64Url(k),
};

/** What Envoy has against a set of keys (RFC 7517): it must be one, and one key at least must be usable. */
export function keySetProblem(text: string): string | undefined {
  const set = parsed(text);
  if (!isJsonObject(set)) return 'is no JSON Web Key Set';
  if (set.keys === undefined) return areCertificates(set) ? undefined : 'has no keys';
  if (!Array.isArray(set.keys)) return 'is no JSON Web Key Set';
  return set.keys.some(isUsable) ? undefined : 'has no key that can be used';
}

function isUsable(key: unknown): boolean {
  if (!isJsonObject(key) || typeof key.kty !== 'string') return false;
  return KEY_TYPES[key.kty]?.(key, typeof key.alg === 'string' ? key.alg : '') ?? false;
}

const curveOf = (algorithm: string): string =>
  Object.keys(CURVES).find((curve) => CURVES[curve] === algorithm) ?? DEFAULT_CURVE;

const isBase64Url = (value: unknown): boolean => typeof value === 'string' && /^[\w-]+$/.test(value);

interface KeyDetails {
  readonly modulusLength?: number | undefined;
  readonly publicExponent?: bigint | undefined;
}

function publicKey({ kty, crv, n, e, x, y }: JsonObject): KeyDetails | undefined {
  if (![n, e, x, y].every((part) => part === undefined || isBase64Url(part))) return undefined;
  try {
    return (
      createPublicKey({ key: { kty, crv, n, e, x, y } as JsonWebKeyInput['key'], format: 'jwk' })
        .asymmetricKeyDetails ?? {}
    );
  } catch {
    return undefined;
  }
}

/** The other form: certificates by the ids of their keys. */
function areCertificates(set: JsonObject): boolean {
  const texts = Object.values(set);
  return texts.length > 0 && texts.every((text) => typeof text === 'string' && isCertificate(text));
}

function isCertificate(text: string): boolean {
  try {
    return Boolean(new X509Certificate(text));
  } catch {
    return false;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
