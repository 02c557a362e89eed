import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { PeerResult } from '../peer.ts';
import { type InjectTables, runTables } from './inject-tables.ts';

/** Runs the category `inject`: the tables of what an injection is made of. */
export async function runInject(folder: string): Promise<PeerResult> {
  const tables = runTables(parse(readFileSync(join(folder, 'unit.yaml'), 'utf8')) as InjectTables);
  const failures = tables.filter((line) => line !== undefined);
  return {
    cases: tables.length,
    equal: tables.length - failures.length,
    failures,
    leftOut: ['cases.yaml: pods are not injected yet'],
  };
}
