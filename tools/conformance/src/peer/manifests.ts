import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { PeerResult } from '../peer.ts';
import { checkFailures, type ManifestCheck } from './manifest-checks.ts';
import { objectsOf, selectObjects, unequalObjects } from './manifest-objects.ts';
import { runHelmCase } from './manifest-helm.ts';
import { runGenerate } from './manifest-run.ts';

export interface ManifestCase {
  readonly id: string;
  readonly group: string;
  readonly input?: string | readonly string[];
  readonly expected?: string;
  /** Made from newer charts than `expected`. */
  readonly expectedCurrent?: string;
  readonly expectedError?: string;
  readonly removedCRDs?: readonly string[];
  readonly checks?: readonly ManifestCheck[];
  readonly options: { readonly flags?: string; readonly diffSelect?: string };
}

type CaseRunner = (item: ManifestCase, folder: string) => Promise<readonly string[]>;

const GROUPS: Readonly<Record<string, CaseRunner>> = {
  generate: runGenerateCase,
  check: runCheckCase,
  helm: runHelmCase,
};

/** Runs the category `manifests`: what `manifest generate` and charts by themselves give, compared with files or held to checks. */
export async function runManifests(folder: string): Promise<PeerResult> {
  const { cases } = parse(readFileSync(join(folder, 'cases.yaml'), 'utf8')) as {
    readonly cases: readonly ManifestCase[];
  };
  const chosen = cases.filter(({ group }) => group in GROUPS);
  const failures: string[] = [];
  let equal = 0;
  for (const item of chosen) {
    const found = await GROUPS[item.group]!(item, folder);
    if (found.length === 0) equal += 1;
    failures.push(...found.map((text) => `${item.id}: ${text}`));
  }
  const others = [...Map.groupBy(cases, ({ group }) => group)].filter(([group]) => !(group in GROUPS));
  return {
    cases: chosen.length,
    equal,
    failures,
    leftOut: others.map(([group, items]) => `${group}: ${items.length} cases`),
  };
}

async function runGenerateCase(item: ManifestCase, folder: string): Promise<readonly string[]> {
  const { code, output, error } = await runGenerate(item, folder);
  if (code !== 0) return [error.trim()];
  const expected = objectsOf(readFileSync(join(folder, item.expectedCurrent ?? item.expected ?? ''), 'utf8'));
  const { diffSelect } = item.options;
  const missing = (item.removedCRDs ?? []).filter((name) => !output.includes(`\n  name: ${name}\n`));
  return [
    ...missing.map((name) => `CustomResourceDefinition ${name} is not there`),
    ...unequalObjects(selectObjects(objectsOf(output), diffSelect), expected),
  ];
}

async function runCheckCase(item: ManifestCase, folder: string): Promise<readonly string[]> {
  const { code, output, error, file } = await runGenerate(item, folder);
  if (item.expectedError !== undefined)
    return code !== 0 && error.includes(item.expectedError) ? [] : [`no error "${item.expectedError}": ${error}`];
  if (code !== 0) return [error.trim()];
  const text = file ?? output;
  const problems = checkFailures(text, item.checks ?? []);
  if (/[ \t]$/m.test(text)) problems.push('a line ends with a blank');
  if (file !== undefined && (output !== '' || !file.endsWith('\n---\n') || !file.includes('CustomResourceDefinition')))
    problems.push('the file is not all of the output');
  return problems;
}
