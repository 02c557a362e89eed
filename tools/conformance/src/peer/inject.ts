import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import type { PeerResult } from '../peer.ts';
import { injectFile, type InjectCase, type InjectFacts } from './inject-cases.ts';
import { type InjectTables, runTables } from './inject-tables.ts';
import { documentsOf, tidy } from './inject-compare.ts';

const TEMPLATES = join(import.meta.dirname, '../../../../libs/inject/templates');

/** Runs the category `inject`: the tables of what an injection is made of, then files with objects as kube-inject injects them. */
export async function runInject(folder: string): Promise<PeerResult> {
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  const facts: InjectFacts = {
    values: JSON.parse(read('facts/default-values.json')) as InjectFacts['values'],
    mesh: JSON.parse(read('facts/default-mesh.json')) as InjectFacts['mesh'],
    defaults: parse(read('facts/mesh-defaults.yaml')) as InjectFacts['defaults'],
    templates: Object.fromEntries(
      readdirSync(TEMPLATES).map((file) => [file.replace('.yaml', ''), readFileSync(join(TEMPLATES, file), 'utf8')]),
    ),
    read,
  };
  const tables = runTables(parse(read('unit.yaml')) as InjectTables);
  const { cases } = parse(read('cases.yaml')) as { readonly cases: readonly InjectCase[] };
  const results = cases.map((item) => runCase(item, facts));
  const failures = [...tables, ...results].filter((line) => line !== undefined);
  const count = tables.length + results.length;
  return {
    cases: count,
    equal: count - failures.length,
    failures,
    leftOut: ['cases.yaml: the runs through the webhook, and the warnings of kube-inject'],
  };
}

function runCase(item: InjectCase, facts: InjectFacts): string | undefined {
  try {
    const actual = injectFile(item, facts);
    if (item.expected === undefined) return `${item.id}: no error, but expected ${item.expectedError}`;
    const expected = documentsOf(facts.read(item.expected));
    if (actual.length !== expected.length) return `${item.id}: ${actual.length} objects, not ${expected.length}`;
    return actual.map((object, index) => difference(tidy(object), tidy(expected[index]), item.id)).find(Boolean);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (item.expectedError !== undefined && message.toLowerCase().includes(item.expectedError)) return undefined;
    return `${item.id}: ${message}`;
  }
}

/** The first place where two values differ. */
function difference(actual: unknown, expected: unknown, path: string): string | undefined {
  if (isDeepStrictEqual(actual, expected)) return undefined;
  if (typeof actual !== 'object' || typeof expected !== 'object' || actual === null || expected === null) {
    return `${path}: ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`;
  }
  const keys = new Set([...Object.keys(actual), ...Object.keys(expected)]);
  const own = actual as Readonly<Record<string, unknown>>;
  const other = expected as Readonly<Record<string, unknown>>;
  for (const key of keys) {
    const found = difference(own[key], other[key], `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
