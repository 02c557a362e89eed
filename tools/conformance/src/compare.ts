/**
 * Compares discovery answers as protobuf JSON. Equal means: the same resources by name, each equal after this normalisation
 * and no other: keys have no order; lists that Envoy reads as sets have none either (filter chains, virtual hosts, domains,
 * endpoints and localities); an absent field and an empty list are the same. Written zeros and `{}` have presence.
 */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export type Problem = 'missing' | 'extra' | 'different';

export interface Difference {
  readonly path: string;
  readonly expected: Json | undefined;
  readonly actual: Json | undefined;
}

export interface Finding {
  /** Name of the resource. */
  readonly name: string;
  readonly problem: Problem;
  readonly differences: readonly Difference[];
}

export interface Comparison {
  readonly resources: number;
  readonly equal: number;
  readonly findings: readonly Finding[];
}

const UNORDERED: ReadonlySet<string> = new Set(['filterChains', 'virtualHosts', 'domains', 'lbEndpoints']);
const MOST_DIFFERENCES = 200;

/** Compares the resources of one answer; an absent answer is not the same as an empty one, which is for the caller. */
export function compareAnswers(expected: readonly Json[], actual: readonly Json[]): Comparison {
  const want = byName(expected);
  const got = byName(actual);
  const findings: Finding[] = [];
  for (const [name, resource] of want) {
    const other = got.get(name);
    if (other === undefined) findings.push({ name, problem: 'missing', differences: [] });
    else if (text(resource) !== text(other)) {
      findings.push({ name, problem: 'different', differences: differences(resource, other) });
    }
  }
  const equal = want.size - findings.length;
  for (const name of got.keys()) if (!want.has(name)) findings.push({ name, problem: 'extra', differences: [] });
  return { resources: want.size, equal, findings };
}

function byName(resources: readonly Json[]): ReadonlyMap<string, Json> {
  const named = new Map<string, Json>();
  for (const resource of resources) {
    const name = nameOf(resource);
    named.set(named.has(name) ? `${name} (sent twice)` : name, normalise(resource, ''));
  }
  return named;
}

function nameOf(resource: Json): string {
  if (!isRecord(resource)) return text(resource);
  const inner = resource.resource;
  const name =
    resource.name ?? resource.clusterName ?? (inner !== undefined && isRecord(inner) ? inner.name : undefined);
  return typeof name === 'string' ? name : text(resource).slice(0, 80);
}

function normalise(value: Json, key: string): Json {
  if (isList(value)) {
    const list = value.map((item) => normalise(item, ''));
    const localities = key === 'endpoints' && value.some((item) => isRecord(item) && 'lbEndpoints' in item);
    return UNORDERED.has(key) || localities ? list.sort((a, b) => (text(a) < text(b) ? -1 : 1)) : list;
  }
  if (!isRecord(value)) return value;
  const kept = Object.keys(value)
    .sort()
    .map((field) => [field, normalise(value[field] ?? null, field)] as const)
    .filter(([, item]) => item !== null && !(isList(item) && item.length === 0));
  return Object.fromEntries(kept);
}

function differences(expected: Json, actual: Json): readonly Difference[] {
  const found: Difference[] = [];
  const visit = (e: Json | undefined, a: Json | undefined, path: string): void => {
    if (found.length >= MOST_DIFFERENCES || text(e) === text(a)) return;
    if (isList(e) && isList(a)) {
      for (let at = 0; at < Math.max(e.length, a.length); at++) visit(e[at], a[at], `${path}[${at}]`);
    } else if (isRecord(e) && isRecord(a)) {
      for (const key of new Set([...Object.keys(e), ...Object.keys(a)])) visit(e[key], a[key], `${path}.${key}`);
    } else found.push({ path, expected: e, actual: a });
  };
  visit(expected, actual, '');
  return found;
}

const text = (value: Json | undefined): string => JSON.stringify(value) ?? '';

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

function isRecord(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
