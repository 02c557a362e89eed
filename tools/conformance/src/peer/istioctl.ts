import { runIstioctl } from '@kedge/istioctl';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { PeerResult } from '../peer.ts';
import { difference, documentsOf, tidy } from './inject-compare.ts';

interface IstioctlCase {
  readonly id: string;
  readonly group: string;
  readonly args?: readonly string[];
  readonly expected?: string;
  readonly expectedErrorRegex?: string;
}

/** Groups that are run, and the command that their arguments are for. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = { 'kube-inject': ['kube-inject'] };

/** Runs the groups of the category `istioctl` whose commands there are. */
export async function runIstioctlCases(folder: string): Promise<PeerResult> {
  const { cases } = parse(readFileSync(join(folder, 'cases.yaml'), 'utf8')) as {
    readonly cases: readonly IstioctlCase[];
  };
  const chosen = cases.filter(({ group }) => group in COMMANDS);
  const failures: string[] = [];
  for (const item of chosen) {
    const failure = await runCase(item, folder);
    if (failure !== undefined) failures.push(failure);
  }
  const others = Map.groupBy(cases, ({ group }) => group);
  return {
    cases: chosen.length,
    equal: chosen.length - failures.length,
    failures,
    leftOut: [...others]
      .filter(([group]) => !(group in COMMANDS))
      .map(([group, items]) => `${group}: ${items.length} cases, the command is not built`),
  };
}

async function runCase(
  { id, group, args = [], ...item }: IstioctlCase,
  directory: string,
): Promise<string | undefined> {
  const [out, err]: [string[], string[]] = [[], []];
  await runIstioctl([...(COMMANDS[group] ?? []), ...args], {
    directory,
    environment: {},
    readStdin: () => '',
    write: (text) => void out.push(text),
    writeError: (text) => void err.push(text),
  });
  if (item.expectedErrorRegex !== undefined)
    return new RegExp(item.expectedErrorRegex).test(err.join('')) ? undefined : `${id}: ${err.join('')}`;
  const expected = readFileSync(join(directory, item.expected ?? ''), 'utf8');
  const objects = (text: string) => documentsOf(text).map((object) => tidy(object));
  return (
    difference(objects(out.join('')), objects(expected), id) ?? (err.length > 0 ? `${id}: ${err.join('')}` : undefined)
  );
}
