import { isDeepStrictEqual } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { canonicalQuantity } from '@kedge/inject';

/** The objects of a file with several. */
export function documentsOf(text: string): readonly unknown[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as unknown)
    .filter((object) => object !== null);
}

const EMPTY_EQUALS_ABSENT: ReadonlySet<string> = new Set([
  'status',
  'resources',
  'strategy',
  'updateStrategy',
  'metadata',
]);
const ZERO_EQUALS_ABSENT: ReadonlySet<string> = new Set(['initialDelaySeconds', 'minReadySeconds', 'replicas']);
const QUANTITIES: ReadonlySet<string> = new Set(['limits', 'requests']);

/** A value without what Kubernetes writes for nothing, and with quantities in one notation. */
export function tidy(value: unknown, field = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => tidy(item));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .map(([key, item]) => [key, tidyField(field, key, item)] as const)
    .filter(([key, item]) => !isNothing(key, item));
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Two annotations are JSON, in which the order of keys means nothing. */
const JSON_TEXTS: ReadonlySet<string> = new Set(['proxy.istio.io/overrides', 'sidecar.istio.io/status']);

function tidyField(parent: string, key: string, value: unknown): unknown {
  if (QUANTITIES.has(parent)) return canonicalQuantity(String(value));
  return tidy(JSON_TEXTS.has(key) ? JSON.parse(String(value)) : value, key);
}

function isNothing(key: string, value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (ZERO_EQUALS_ABSENT.has(key)) return value === 0;
  if (key === 'value') return value === '';
  if (key === 'paused' || key === 'test') return value === false;
  if (Array.isArray(value)) return value.length === 0;
  return EMPTY_EQUALS_ABSENT.has(key) && Object.values(value).every((item) => item === 0);
}

/** The first place where two values differ. */
export const difference = (actual: unknown, expected: unknown, path: string): string | undefined =>
  differences(actual, expected, path)[0];

/** Every place where two values differ. */
export function differences(actual: unknown, expected: unknown, path: string): readonly string[] {
  if (isDeepStrictEqual(actual, expected)) return [];
  if (typeof actual !== 'object' || typeof expected !== 'object' || actual === null || expected === null) {
    return [`${path}: ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`];
  }
  const keys = new Set([...Object.keys(actual), ...Object.keys(expected)]);
  const own = actual as Readonly<Record<string, unknown>>;
  const other = expected as Readonly<Record<string, unknown>>;
  return [...keys].flatMap((key) => differences(own[key], other[key], `${path}.${key}`));
}
