import { isDeepStrictEqual } from 'node:util';
import type { JSONWebKeySet, JWK } from 'jose';

/** Reads a set of keys (RFC 7517). Throws where it is none, or has no keys. */
export function parseJwks(text: string): JSONWebKeySet {
  const keys = keysOf(text);
  if (keys.length === 0) throw new Error('the key set is empty');
  if (!keys.every(isKey)) {
    throw new Error('the key set has a key without a type');
  }
  return { keys: [...keys] };
}

/** Throws where a text is no set of keys; one without keys is a set, by which no token is valid. */
export function checkJwks(text: string): void {
  keysOf(text);
}

function keysOf(text: string): readonly unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('the key set is not JSON');
  }
  const keys = typeof value === 'object' && value !== null && 'keys' in value ? value.keys : undefined;
  if (!Array.isArray(keys)) throw new Error('the key set has no list of keys');
  return keys;
}

const isKey = (value: unknown): value is JWK =>
  typeof value === 'object' && value !== null && 'kty' in value && typeof value.kty === 'string';

/** Whether two texts are the same set of keys: their order and the form of the JSON don't count. */
export function isSameJwks(one: string, other: string): boolean {
  const [a, b] = [jsonOf(one), jsonOf(other)];
  if (a === undefined || b === undefined) return one === other;
  return isDeepStrictEqual(sortedKeys(a), sortedKeys(b));
}

function jsonOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

function sortedKeys(set: Readonly<Record<string, unknown>>): unknown {
  if (!Array.isArray(set.keys)) return set;
  const byText = (value: unknown): string => JSON.stringify(value, Object.keys(value ?? {}).sort());
  return { ...set, keys: set.keys.toSorted((a, b) => (byText(a) < byText(b) ? -1 : 1)) };
}
