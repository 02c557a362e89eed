import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { crdFile } from './crd-file.ts';
import { customResourceDefinitions } from './definition.ts';

const committed = join(import.meta.dirname, '../../../charts/base/files/crd-all.gen.yaml');

describe('crd-all.gen.yaml', () => {
  test('the committed file is what `npm run gen:crds` makes', () => {
    // Not by `toBe`, which would print both.
    expect(readFileSync(committed, 'utf8') === crdFile()).toBe(true);
  });

  test('reads back as the definitions, one a document', () => {
    const documents = parseAllDocuments(crdFile()).map((document): unknown => document.toJS());
    expect(documents).toEqual(customResourceDefinitions());
  });
});
