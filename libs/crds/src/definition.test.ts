import { describe, expect, test } from '@jest/globals';
import { kinds } from '@kedge/model';
import { customResourceDefinitions } from './definition.ts';
import type { OpenApi } from './openapi.ts';

const definitions = customResourceDefinitions();
const byKind = new Map(definitions.map((definition) => [definition.spec.names.kind, definition]));

interface Node {
  readonly path: string;
  readonly schema: OpenApi;
}

function* nodes(path: string, schema: OpenApi): Generator<Node> {
  yield { path, schema };
  for (const [name, child] of Object.entries(schema.properties ?? {})) yield* nodes(`${path}.${name}`, child);
  if (schema.items) yield* nodes(`${path}[]`, schema.items);
  if (schema.additionalProperties) yield* nodes(`${path}{}`, schema.additionalProperties);
}

const allNodes = definitions.flatMap(({ spec }) => [
  ...nodes(spec.names.kind, spec.versions[0]!.schema.openAPIV3Schema),
]);

/** The API server's limit on annotations, in which `kubectl apply` keeps an object. */
const ANNOTATION_LIMIT = 256 * 1024;

describe('custom resource definitions', () => {
  test('there is one for each kind, in all its versions, of which one is stored', () => {
    expect([...byKind.keys()].sort()).toEqual(Object.keys(kinds).sort());
    for (const { spec } of definitions) {
      const info = kinds[spec.names.kind as keyof typeof kinds];
      expect(spec.versions.map(({ name }) => name)).toEqual([...info.versions].sort());
      expect(spec.versions.filter(({ storage }) => storage).map(({ name }) => name)).toEqual([info.versions[0]]);
    }
  });

  test('names, labels and columns', () => {
    const telemetry = byKind.get('Telemetry');
    expect(telemetry?.metadata).toEqual({
      name: 'telemetries.telemetry.istio.io',
      labels: {
        app: 'istio-pilot',
        chart: 'istio',
        heritage: 'Tiller',
        istio: 'telemetry',
        release: 'istio',
      },
      annotations: { 'helm.sh/resource-policy': 'keep' },
    });
    expect(telemetry?.spec.names).toEqual({
      kind: 'Telemetry',
      listKind: 'TelemetryList',
      plural: 'telemetries',
      singular: 'telemetry',
      shortNames: ['telemetry'],
      categories: ['istio-io', 'telemetry-istio-io'],
    });
    const columns = byKind.get('WorkloadEntry')?.spec.versions[0]?.additionalPrinterColumns ?? [];
    expect(columns.map(({ name, jsonPath }) => [name, jsonPath])).toEqual([
      ['Age', '.metadata.creationTimestamp'],
      ['Address', '.spec.address'],
    ]);
  });

  test('schemas are structural: each node has one type, or is an integer or a string', () => {
    const untyped = allNodes.filter(({ schema }) => !schema.type && !schema['x-kubernetes-int-or-string']);
    expect(untyped.map(({ path }) => path)).toEqual([]);
  });

  test('every field is described, in a sentence', () => {
    const fields = allNodes.filter(({ path }) => !/\[\]$|\{\}$|^\w+$/.test(path));
    const poor = fields.filter(({ schema }) => !/^[A-Z0-9"].*\.$/.test(schema.description ?? ''));
    expect(poor.map(({ path }) => path)).toEqual([]);
  });

  test('a template of entries needs no address, an entry does', () => {
    const messages = (path: string): readonly string[] =>
      allNodes.find((node) => node.path === path)?.schema['x-kubernetes-validations']?.map((rule) => rule.message) ??
      [];
    expect(messages('WorkloadEntry.spec')).toContain('Address is required');
    expect(messages('ServiceEntry.spec.endpoints[]')).toContain('Address is required');
    expect(messages('WorkloadGroup.spec.template')).toEqual(['UDS may not include ports']);
  });

  test('each is small enough to be applied by kubectl', () => {
    for (const definition of definitions) expect(JSON.stringify(definition).length).toBeLessThan(ANNOTATION_LIMIT);
  });
});
