import { describe, expect, test } from '@jest/globals';
import { schemaFacts } from '../parse/message.ts';
import type { Config, ConfigOf } from './config.ts';
import type { Gateway } from './gateway.ts';
import { kinds, lookupKind } from './registry.ts';

describe('kinds', () => {
  test('each is found by each of its versions', () => {
    for (const info of Object.values(kinds)) {
      for (const version of info.versions) expect(lookupKind(`${info.group}/${version}`, info.kind)).toBe(info);
    }
  });

  test('a name alone is not a kind: other groups have a Gateway too', () => {
    expect(lookupKind('gateway.networking.k8s.io/v1', 'Gateway')).toBeUndefined();
    expect(lookupKind('networking.istio.io/v1', 'toString')).toBeUndefined();
  });

  test('every schema is a message', () => {
    for (const info of Object.values(kinds)) expect(Object.keys(schemaFacts(info.schema).shape ?? {})).not.toEqual([]);
  });

  test('the fields that are named in a oneof are fields', () => {
    const seen = new Set<unknown>();
    const check = (schema: Parameters<typeof schemaFacts>[0]): void => {
      if (seen.has(schema)) return;
      seen.add(schema);
      const { shape = {}, oneOfs = [], element } = schemaFacts(schema);
      expect(Object.keys(shape)).toEqual(expect.arrayContaining(oneOfs.flat()));
      for (const field of Object.values(shape)) check(field);
      if (element) check(element);
    };
    for (const info of Object.values(kinds)) check(info.schema);
    expect(seen.size).toBeGreaterThan(300);
  });

  test('the kind decides the type of the spec', () => {
    const gatewayOf = (config: ConfigOf<'Gateway'>): Config<Gateway> => config;
    expect(gatewayOf).toBeDefined();
  });
});
