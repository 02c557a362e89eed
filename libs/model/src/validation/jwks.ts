import { isJsonObject } from '../parse/json.ts';
import type { Problem } from './issues.ts';

/** Members of each key type (RFC 7518, RFC 8037) that the public key is made of, and one that only a private key has. */
const KEY_TYPES: Readonly<Record<string, { readonly members: readonly string[]; readonly secret: string }>> = {
  RSA: { members: ['n', 'e'], secret: 'd' },
  EC: { members: ['crv', 'x', 'y'], secret: 'd' },
  OKP: { members: ['crv', 'x'], secret: 'd' },
  oct: { members: ['k'], secret: 'k' },
};

/** What is in a key set. */
export interface KeySet {
  readonly problem?: string;
  /** Indices of keys that hold private or symmetric key material. */
  readonly secretKeys: readonly number[];
}

/** Reads a JSON Web Key Set or a single key (RFC 7517). */
export function readKeySet(text: string): KeySet {
  const keys = parseKeys(text);
  if (keys === undefined) return { problem: 'must be a JSON Web Key Set, {"keys": [...]}', secretKeys: [] };
  for (const [i, key] of keys.entries()) {
    const problem = keyProblem(key);
    if (problem !== undefined) return { problem: `key ${i} ${problem}`, secretKeys: [] };
  }
  return { secretKeys: keys.flatMap((key, i) => (isSecret(key) ? [i] : [])) };
}

function parseKeys(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value)) return undefined;
    if (!Object.hasOwn(value, 'keys')) return [value];
    return Array.isArray(value.keys) ? value.keys : undefined;
  } catch {
    return undefined;
  }
}

function keyProblem(key: unknown): Problem {
  const type = keyType(key);
  if (type === undefined) return `has no known type: kty must be one of ${Object.keys(KEY_TYPES).join(', ')}`;
  const fields = key as Readonly<Record<string, unknown>>;
  const bad = type.members.find((member) => (member === 'crv' ? !fields.crv : !isBase64Url(fields[member])));
  return bad === undefined ? undefined : `lacks ${bad}, or it is not base64url`;
}

function keyType(key: unknown): (typeof KEY_TYPES)[string] | undefined {
  if (!isJsonObject(key) || typeof key.kty !== 'string') return undefined;
  return Object.hasOwn(KEY_TYPES, key.kty) ? KEY_TYPES[key.kty] : undefined;
}

function isSecret(key: unknown): boolean {
  const type = keyType(key);
  return type !== undefined && Object.hasOwn(key as object, type.secret);
}

function isBase64Url(value: unknown): boolean {
  return typeof value === 'string' && /^[\w+/-]+={0,2}$/.test(value);
}
