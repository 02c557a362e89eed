import { applyChanges, MemorySource, type Validate } from '@kedge/config';
import { parseConfig, validateConfig } from '@kedge/model';
import { checkEnvoyMessage } from '@kedge/networking';
import { readScenario } from '@kedge/render';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { stateOf } from '../answers.ts';
import { anyMesh, freshContext, keyText } from '../mesh.ts';
import { manifestsOf } from '../objects/index.ts';
import { invalidDocument, invalidManifest } from '../objects/invalid.ts';
import { someProxies } from '../proxies.ts';
import { expectSame, invariant } from './invariant.ts';

/** A snapshot of a file of manifests, read as a folder's files are. */
const contextOf = (documents: readonly string[]) =>
  readScenario({
    manifests: [{ name: 'all.yaml', text: documents.join('\n---\n') }],
    proxies: { name: 'proxies.yaml', text: 'proxies: []' },
  }).push;

export const invalidDocuments = invariant(
  'an invalid document, wherever it stands in a file, changes nothing for anybody',
  40,
  fc.record({
    documents: fc.array(fc.oneof(...Object.values(manifestsOf)).map((manifest) => stringify(manifest)), { minLength: 3, maxLength: 20, size: 'max' }), // prettier-ignore
    at: fc.nat({ max: 20 }),
    invalid: invalidDocument,
    proxies: someProxies(2),
  }),
  ({ documents, at, invalid, proxies }) => {
    const expected = stateOf(contextOf(documents), proxies);
    expectSame(proxies, stateOf(contextOf(documents.toSpliced(at, 0, invalid)), proxies), expected, invalid);
  },
);

export const invalidObjects = invariant(
  'an object that becomes invalid counts as gone, and changes nothing else',
  40,
  fc.record({ mesh: anyMesh, invalid: invalidManifest, at: fc.nat({ max: 1000 }), proxies: someProxies(2) }),
  ({ mesh, invalid, at, proxies }) => {
    const { config } = parseConfig(invalid);
    if (!config) return;
    const peers = mesh.objects.filter(({ kind }) => kind === config.kind);
    const { namespace, name } = peers[at % Math.max(1, peers.length)] ?? config;
    const object = { ...config, namespace, name };
    const validate: Validate = (candidate, where) => validateConfig(candidate, { where, checkEnvoyMessage });
    // Some lacked nothing but a name.
    if (validate(object).every(({ severity }) => severity !== 'error')) return;
    const source = new MemorySource(mesh.objects, { validate });
    let push = freshContext(mesh);
    stateOf(push, proxies);
    source.subscribe((changes) => (push = push.next((edit) => applyChanges(edit, changes))));
    source.put(object);
    const left = { ...mesh, objects: mesh.objects.filter((other) => keyText(other) !== keyText(object)) };
    expectSame(proxies, stateOf(push, proxies), stateOf(freshContext(left), proxies), keyText(object));
  },
);
