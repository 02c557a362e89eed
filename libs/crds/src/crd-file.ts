import { stringify } from 'yaml';
import { customResourceDefinitions } from './definition.ts';

const HEADING =
  '# Generated from the kinds of libs/model by `npm run gen:crds`; changes belong there or in libs/crds.\n';

/** The text of `crd-all.gen.yaml` of the chart `base`: a document for each kind. */
export function crdFile(): string {
  const documents = customResourceDefinitions().map((definition) =>
    stringify(definition, { aliasDuplicateObjects: false, lineWidth: 0 }),
  );
  return `${HEADING}${documents.map((text) => `---\n${text}`).join('')}`;
}
