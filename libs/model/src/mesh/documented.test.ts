import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { type Schema, schemaFacts } from '../parse/message.ts';
import { MeshConfig } from './mesh-config.ts';
import { ProxyConfig } from './proxy-config.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/mesh-config.md'), 'utf8');

test.each<readonly [string, Schema<unknown>]>([
  ['MeshConfig', MeshConfig],
  ['ProxyConfig', ProxyConfig],
])('docs/mesh-config.md says of each field of %s where it has its effect', (title, schema) => {
  const section = page.split('\n## ').find((part) => part.startsWith(`${title}\n`)) ?? '';
  const documented = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, field]) => field);
  expect(documented.sort()).toEqual(Object.keys(schemaFacts(schema).shape ?? {}).sort());
});
