import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crdFile } from '@kedge/crds';

// Writes the custom resource definitions of the chart `base`. The file is committed, because charts are installed from
// where they lie; a test of libs/crds holds it to what is made here.

writeFileSync(join(import.meta.dirname, '../../../charts/base/files/crd-all.gen.yaml'), crdFile());
