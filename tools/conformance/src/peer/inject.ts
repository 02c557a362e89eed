import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runIstioctl } from '@kedge/istioctl';
import { parse } from 'yaml';
import type { PeerResult } from '../peer.ts';
import { createdPods, injectFile, injectPods, type InjectCase, type InjectFacts } from './inject-cases.ts';
import { type InjectTables, runTables } from './inject-tables.ts';
import { difference, documentsOf, tidy } from './inject-compare.ts';

const TEMPLATES = join(import.meta.dirname, '../../../../libs/inject/templates');

/** The project's own templates by name. */
export const injectionTemplates = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(TEMPLATES).map((file) => [file.replace('.yaml', ''), readFileSync(join(TEMPLATES, file), 'utf8')]),
  );

export interface InjectData {
  readonly facts: InjectFacts;
  readonly cases: readonly InjectCase[];
}

export function readInjectData(folder: string): InjectData {
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  const { cases } = parse(read('cases.yaml')) as { readonly cases: readonly InjectCase[] };
  const facts = {
    values: JSON.parse(read('facts/default-values.json')) as InjectFacts['values'],
    mesh: JSON.parse(read('facts/default-mesh.json')) as InjectFacts['mesh'],
    defaults: parse(read('facts/mesh-defaults.yaml')) as InjectFacts['defaults'],
    templates: injectionTemplates(),
    read,
  };
  return { facts, cases };
}

/** Runs the category `inject`: the tables of what an injection is made of, then files with objects as kube-inject and the webhook inject them. */
export async function runInject(folder: string): Promise<PeerResult> {
  const { facts, cases } = readInjectData(folder);
  const tables = runTables(parse(facts.read('unit.yaml')) as InjectTables);
  const results = await Promise.all(
    cases.map(async (item) => runCase(item, facts) ?? (await lackingLog(item, folder))),
  );
  const failures = [...tables, ...results].filter((line) => line !== undefined);
  const count = tables.length + results.length;
  return { cases: count, equal: count - failures.length, failures };
}

/** What the command has to tell of a file, if it does not. */
async function lackingLog({ id, input, expectedLog }: InjectCase, directory: string): Promise<string | undefined> {
  if (expectedLog === undefined) return undefined;
  const files = {
    ...{ filename: input, injectConfigFile: join(TEMPLATES, 'sidecar.yaml') },
    ...{ meshConfigFile: 'facts/default-mesh.json', valuesFile: 'facts/default-values.json' },
  };
  const args = Object.entries(files).flatMap(([flag, file]) => [`--${flag}`, file]);
  const told: string[] = [];
  const io = { directory, environment: {}, readStdin: () => '', write: () => undefined };
  await runIstioctl(['kube-inject', ...args], { ...io, writeError: (text) => void told.push(text) });
  return told.join('').includes(expectedLog)
    ? undefined
    : `${id}: tells ${told.join('') || 'nothing'}, not ${expectedLog}`;
}

interface Run {
  readonly inject: (item: InjectCase, facts: InjectFacts) => readonly unknown[];
  readonly read: (text: string) => readonly unknown[];
  readonly clean: (object: unknown) => unknown;
}

const RUNS: Readonly<Record<string, Run>> = {
  'kube-inject': { inject: injectFile, read: documentsOf, clean: (object) => tidy(object) },
  webhook: { inject: injectPods, read: createdPods, clean: (pod) => withoutStatus(tidy(pod)) },
};

/** The status is not compared through the webhook. */
function withoutStatus(pod: unknown): unknown {
  const { metadata, ...rest } = pod as {
    readonly metadata: { readonly annotations?: Readonly<Record<string, unknown>> };
  };
  const { 'sidecar.istio.io/status': _, ...annotations } = metadata.annotations ?? {};
  return { ...rest, metadata: { ...metadata, annotations } };
}

function runCase(item: InjectCase, facts: InjectFacts): string | undefined {
  try {
    const runs = Object.entries(RUNS).filter(([run]) => item.options.runs.includes(run));
    for (const [run, { inject, read, clean }] of runs) {
      const actual = inject(item, facts);
      if (item.expected === undefined) return `${item.id}: no error, but expected ${item.expectedError}`;
      const found = difference(actual.map(clean), read(facts.read(item.expected)).map(clean), item.id);
      if (found !== undefined) return `${run}: ${found}`;
    }
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (item.expectedError !== undefined && message.toLowerCase().includes(item.expectedError)) return undefined;
    return `${item.id}: ${message}`;
  }
}
