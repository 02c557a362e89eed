import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { z } from 'zod';
import { type KindInfo, kinds } from '../kinds/registry.ts';
import { parseMeshConfig, parseMeshNetworks } from '../mesh/parse-mesh.ts';
import { schemaFacts } from './message.ts';
import { parseConfig } from './parse-config.ts';
import { parseConfigFile } from './yaml-documents.ts';

const scalar = fc.oneof(
  fc.constantFrom(null, '', '1s', '80', 'DISABLE', 'ALLOW', 0, 1, -1, 1e40, true, {}, []),
  fc.jsonValue({ maxDepth: 1 }),
);

/** Values that have the schema's fields, mostly with values of the wrong type. */
function nearly(schema: z.ZodType, depth: number): fc.Arbitrary<unknown> {
  const { shape, element } = schemaFacts(schema);
  if (depth === 0) return scalar;
  if (element) {
    const item = nearly(element, depth - 1);
    return fc.oneof(scalar, fc.array(item, { maxLength: 2 }), fc.dictionary(fc.string(), item, { maxKeys: 2 }));
  }
  const names = Object.keys(shape ?? {});
  if (shape === undefined || names.length === 0) return scalar;
  const field = fc.constantFrom(...names).chain((name) => {
    const known = shape[name];
    return fc.tuple(fc.constant(name), known ? nearly(known, depth - 1) : scalar);
  });
  return fc.array(field, { maxLength: 4 }).map((entries): unknown => Object.fromEntries(entries));
}

const object = fc.constantFrom<KindInfo>(...Object.values(kinds)).chain(({ group, versions, kind, schema }) =>
  fc.record({
    apiVersion: fc.constantFrom(...versions.map((version) => `${group}/${version}`)),
    kind: fc.constant(kind),
    metadata: fc.oneof(fc.constant({ name: 'a' }), fc.jsonValue()),
    spec: nearly(schema, 6),
  }),
);

test('any JSON gives an object or an error', () => {
  fc.assert(
    fc.property(fc.oneof(object, fc.jsonValue()), (value) => {
      const { config, diagnostics } = parseConfig(value);
      expect(config === undefined).toBe(diagnostics.some((d) => d.severity === 'error'));
    }),
    { numRuns: 500 },
  );
});

test('any value at all is taken', () => {
  fc.assert(fc.property(fc.anything({ withNullPrototype: true }), (value) => void parseConfig(value)));
});

/** Text of what YAML means something by, so that random text is not all plain scalars. */
const yamlText = fc
  .array(
    fc.oneof(fc.constantFrom(...'-:?[]{},&*!|>\'"%@`# \t\n\r~', '---\n', '...\n', '<<: ', '\n  ', 'a'), fc.string()),
  )
  .map((parts) => parts.join(''));

test('any text gives objects or errors', () => {
  fc.assert(
    fc.property(fc.oneof(yamlText, fc.string({ unit: 'binary' })), (text) => {
      for (const { config, diagnostics } of parseConfigFile(text, 'f')) {
        expect(config === undefined).toBe(diagnostics.some((d) => d.severity === 'error'));
        expect(diagnostics.every((d) => (d.line ?? 0) >= 1)).toBe(true);
      }
      parseMeshConfig(text);
      parseMeshNetworks(text);
    }),
    { numRuns: 500 },
  );
});
