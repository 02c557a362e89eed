import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { decodeAny, encodeAny, parse, validate } from './index.ts';
import type { Any } from './index.ts';
import { IndependentCodec } from './testing/independent-codec.ts';

// Discovery answers as proxies of a real mesh got them: TYPE.json holds the resources of one answer.

const folder = join(import.meta.dirname, '../testdata');
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));

test.each(files)('the resources of %s are canonical and valid, and survive encoding', (name) => {
  const resources = JSON.parse(readFileSync(join(folder, name), 'utf8')) as readonly Any[];
  expect(resources.length).toBeGreaterThan(0);
  for (const resource of resources) {
    expect(parse('google.protobuf.Any', resource)).toEqual({ ok: true, message: resource });
    expect(validate('google.protobuf.Any', resource)).toEqual([]);
    expect(decodeAny(encodeAny(resource))).toEqual(resource);
  }
});

describe('an independent decoder', () => {
  const codec = new IndependentCodec();

  test.each(files)('reads the same from the bytes of %s', (name) => {
    const resources = JSON.parse(readFileSync(join(folder, name), 'utf8')) as readonly Any[];
    for (const resource of resources) {
      expect(codec.toJson('google.protobuf.Any', encodeAny(resource))).toEqual(resource);
    }
  });
});
