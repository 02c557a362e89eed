import { expect, test } from '@jest/globals';
import { type ConfigKind, kinds } from '../../kinds/registry.ts';
import type { JsonObject } from '../../parse/json.ts';
import { parseConfig } from '../../parse/parse-config.ts';
import { type ValidationOptions, validateConfig } from '../validate-config.ts';

/** Parses an object and gives what validation finds, each as `error code field`. */
export function findings(
  kind: ConfigKind,
  spec: JsonObject,
  metadata: JsonObject = {},
  options: ValidationOptions = {},
): readonly string[] {
  const { group, versions } = kinds[kind];
  const object = {
    apiVersion: `${group}/${versions[0]}`,
    kind,
    metadata: { name: 'web', namespace: 'shop', ...metadata },
    spec,
  };
  const { config, diagnostics } = parseConfig(object);
  if (config === undefined) throw new Error(`not parsed: ${diagnostics.map(({ message }) => message).join(', ')}`);
  return validateConfig(config, options).map(({ severity, code, field }) => `${severity} ${code} ${field}`);
}

/** What is tested, the spec, and what is found: nothing where the spec is fine. */
export type Row = readonly [about: string, spec: JsonObject, ...found: readonly string[]];

/** One test for each row. */
export function testRows(kind: ConfigKind, rows: readonly Row[]): void {
  test.each(rows.map(([about, spec, ...found]) => ({ about, spec, found })))('$about', ({ spec, found }) => {
    expect(findings(kind, spec)).toEqual(found);
  });
}
