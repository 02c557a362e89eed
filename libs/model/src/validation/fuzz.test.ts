import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { z } from 'zod';
import type { Config } from '../kinds/config.ts';
import { type KindInfo, kinds } from '../kinds/registry.ts';
import { schemaFacts } from '../parse/message.ts';
import { parseConfig } from '../parse/parse-config.ts';
import { validateConfig } from './validate-config.ts';

/** Scalars that many rules look into, and keys that every object has. */
const SCALARS = ['', '*', '*.a.com', 'a', 'a/b', 'unix://', '1s', '(', '%', '__proto__', 'constructor', '{"keys":[{}]}', 'http://a', 0, 1, 2, 443, 70000, -1, 0.5, true, {}]; // prettier-ignore
const key = fc.constantFrom('', 'a', 'x-user', '80', '*', '__proto__', 'toString', '@request.auth.claims.a');

/** Values that the schema takes. */
function fitting(schema: z.ZodType, depth: number): fc.Arbitrary<unknown> {
  const { shape, element } = schemaFacts(schema);
  if (element && depth > 0) {
    const item = fitting(element, depth - 1);
    return fc.oneof(fc.array(item, { maxLength: 3 }), fc.array(fc.tuple(key, item), { maxLength: 2 }).map(Object.fromEntries)).filter((value) => schema.safeParse(value).success); // prettier-ignore
  }
  const names = Object.keys(shape ?? {});
  if (shape === undefined || names.length === 0 || depth === 0) {
    const taken = [...SCALARS, []].filter((value) => schema.safeParse(value).success);
    return taken.length > 0 ? fc.constantFrom<unknown>(...taken) : fc.string();
  }
  const field = fc.constantFrom(...names).chain((name) => {
    const known = shape[name];
    return fc.tuple(fc.constant(name), known ? fitting(known, depth - 1) : fc.constant(null));
  });
  return fc.array(field, { maxLength: 5 }).map((entries): unknown => Object.fromEntries(entries));
}

const object = fc.constantFrom<KindInfo>(...Object.values(kinds)).chain(({ group, versions, kind, schema }) =>
  fc.record({
    apiVersion: fc.constant(`${group}/${versions[0]}`),
    kind: fc.constant(kind),
    metadata: fc.constantFrom({}, { name: 'a', namespace: 'b', labels: { 'istio.io/use-waypoint': 'c' } }),
    spec: fitting(schema, 7),
  }),
);

test('whatever parses is judged, the same each time, at fields that have a place', () => {
  let judged = 0;
  fc.assert(
    fc.property(object, (value) => {
      const { config } = parseConfig(value);
      if (config === undefined) return;
      judged++;
      const found = validateConfig(config);
      expect(validateConfig(config)).toEqual(found);
      for (const { message, field } of found) {
        expect(message).not.toBe('');
        expect(field).toMatch(/^(spec|metadata)/);
      }
    }),
    { numRuns: 1500 },
  );
  expect(judged).toBeGreaterThan(500);
});

test('an object of a kind without rules has no findings; places come from the source', () => {
  const config = (kind: string, group: string): Config => ({
    kind,
    group,
    version: 'v1',
    namespace: 'a',
    name: 'b',
    labels: {},
    annotations: {},
    creationTimestamp: 0,
    spec: { servers: [] },
    source: { file: 'a.yaml', line: 7 },
  });
  expect(validateConfig(config('Gateway', 'gateway.networking.k8s.io'))).toEqual([]);
  const [found] = validateConfig(config('Gateway', 'networking.istio.io'));
  expect(found).toMatchObject({
    kind: 'Gateway',
    namespace: 'a',
    name: 'b',
    field: 'spec.servers',
    file: 'a.yaml',
    line: 7,
  });
});
