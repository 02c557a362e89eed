import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { CustomResourceDefinition, DefinitionVersion, OpenApi } from '@kedge/crds';
import { parseAllDocuments } from 'yaml';
import type { PeerResult } from '../peer.ts';
import { schemaErrors } from './api-server-schema.ts';
import { crdDocuments, verdictFailure } from './crd-documents.ts';

const FILE = join(import.meta.dirname, '../../../../charts/base/files/crd-all.gen.yaml');

type Facts = Readonly<Record<string, unknown>>;

interface Peer extends Facts {
  readonly name: string;
  readonly versions: readonly (Facts & { readonly name: string; readonly fields?: readonly Facts[] })[];
}

/**
 * Runs the category `crds`: each definition of the chart `base` against the facts of Istio's, and the documents of the category
 * `validation` that an API server accepts or refuses by these definitions.
 */
export async function runCrds(folder: string): Promise<PeerResult> {
  const documents = parseAllDocuments(readFileSync(FILE, 'utf8'));
  const definitions = new Map(
    documents.map((document): [string, CustomResourceDefinition] => {
      const definition = document.toJS() as CustomResourceDefinition;
      return [definition.metadata.name, definition];
    }),
  );
  const documentFailures = judgeDocuments(join(folder, '../validation/crds'), [...definitions.values()]);
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  const differences = files.sort().map((file) => {
    const peer = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Peer;
    const ours = definitions.get(peer.name);
    definitions.delete(peer.name);
    return ours ? compareDefinitions(peer, ours) : [`${peer.name}: is missing`];
  });
  const judged = documentFailures.map((failure) => (failure === undefined ? [] : [failure]));
  const results = [...differences, ...judged];
  return {
    cases: results.length,
    equal: results.filter((found) => found.length === 0).length,
    failures: [...results.flat(), ...[...definitions.keys()].map((name) => `${name}: Istio has no such kind`)],
  };
}

/** A line for each document: undefined if schema and rules say what they should. */
function judgeDocuments(
  folder: string,
  definitions: readonly CustomResourceDefinition[],
): readonly (string | undefined)[] {
  if (!existsSync(folder)) return [];
  return crdDocuments(folder).map((document) => {
    const { apiVersion, kind } = document.object;
    const definition = definitions.find(
      ({ spec }) => spec.names.kind === kind && String(apiVersion).startsWith(`${spec.group}/`),
    );
    const version = definition?.spec.versions.find(({ name }) => String(apiVersion).endsWith(`/${name}`));
    if (version === undefined) return `${document.id}: there is no ${String(kind)} of ${String(apiVersion)}`;
    return verdictFailure(document, schemaErrors(version.schema.openAPIV3Schema, document.object));
  });
}

function compareDefinitions(peer: Peer, ours: CustomResourceDefinition): readonly string[] {
  const { versions: expected, ...head } = peer;
  const versions = ours.spec.versions.map((version) => ({ ...versionFacts(version), rows: rowsOf(version) }));
  const rowsByVersion = new Map(expected.map(({ name, fields }) => [name, fields]));
  const found = differences(peer.name, head, headFacts(ours));
  const names = versions.map(({ name }) => name);
  if (!isDeepStrictEqual(names, [...rowsByVersion.keys()]))
    return [...found, `${peer.name}: has versions ${names.join()}`];
  return [
    ...found,
    ...expected.flatMap(({ fields = [], fieldsSameAs, ...facts }, index) => {
      const { rows, ...own } = versions[index]!;
      const peerRows = typeof fieldsSameAs === 'string' ? (rowsByVersion.get(fieldsSameAs) ?? []) : fields;
      const where = `${peer.name} ${facts.name}`;
      return [...differences(where, facts, own), ...compareRows(where, peerRows, rows)];
    }),
  ];
}

function compareRows(where: string, peer: readonly Facts[], ours: readonly Facts[]): readonly string[] {
  const left = new Map(ours.map((row) => [row.path, row]));
  const found = peer.flatMap((row) => {
    const own = left.get(row.path);
    left.delete(row.path);
    return own ? differences(`${where} ${row.path}`, row, own) : [`${where} ${row.path}: is missing`];
  });
  return [...found, ...[...left.keys()].map((path) => `${where} ${path}: Istio has no such field`)];
}

function differences(where: string, expected: Facts, actual: Facts): readonly string[] {
  const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
  return [...keys]
    .filter((key) => !isDeepStrictEqual(expected[key], actual[key]))
    .map((key) => `${where}: ${key} is ${JSON.stringify(actual[key])}, not ${JSON.stringify(expected[key])}`);
}

function headFacts({ metadata, spec }: CustomResourceDefinition): Facts {
  const { names, group, scope } = spec;
  return { ...metadata, group, scope, ...names, shortNames: names.shortNames ?? [] };
}

function versionFacts({ schema: _, additionalPrinterColumns = [], ...version }: DefinitionVersion) {
  const printerColumns = additionalPrinterColumns.map(({ description: _, ...column }) => column);
  return { ...version, deprecated: false, printerColumns };
}

/** A row for each node of the schema, in the names of the peer data. */
function rowsOf({ schema }: DefinitionVersion): readonly Facts[] {
  return [...nodesOf('', schema.openAPIV3Schema)];
}

const NAMES: Readonly<Record<string, string>> = {
  'x-kubernetes-validations': 'cel',
  'x-kubernetes-list-type': 'x-list-type',
  'x-kubernetes-list-map-keys': 'x-list-map-keys',
  'x-kubernetes-int-or-string': 'x-int-or-string',
  'x-kubernetes-preserve-unknown-fields': 'x-preserve-unknown-fields',
};

function* nodesOf(path: string, node: OpenApi): Generator<Facts> {
  const { description: _, properties = {}, items, additionalProperties, ...facts } = node;
  const renamed = Object.entries(facts).map(([key, value]) => [NAMES[key] ?? key, value] as const);
  yield { path: path || '.', ...Object.fromEntries(renamed) };
  for (const [name, child] of Object.entries(properties)) yield* nodesOf(`${path}.${name}`, child);
  if (items) yield* nodesOf(`${path}[]`, items);
  if (additionalProperties) yield* nodesOf(`${path}{}`, additionalProperties);
}
